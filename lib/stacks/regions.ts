/** Where SES receives mail, as its list of endpoints has it. A deployment receives, so it lies in one of these. */
export const receivingRegions = [
  'us-east-1',
  'us-east-2',
  'us-west-2',
  'ca-central-1',
  'eu-west-1',
  'eu-west-2',
  'eu-central-1',
  'ap-northeast-1',
  'ap-southeast-1',
  'ap-southeast-2',
] as const;

/** The form of a region's name: a model may run in regions that receive no mail. */
export const modelRegionPattern = /^[a-z]{2}(?:-[a-z]+){1,2}-\d$/;
