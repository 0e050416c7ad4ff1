import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { IReceiptRuleAction, ReceiptRuleActionConfig } from 'aws-cdk-lib/aws-ses';

// CDK's own actions let SES do for any rule of the account what these let it do for one. They only say what is done; the
// right to do it stands in the policies of bucket, key and function, bound to account and rule.

/** Puts a mail's bytes into a bucket, which encrypts them itself: a key named here would mean another format. */
export class PutIntoBucket implements IReceiptRuleAction {
  readonly #bucket: IBucket;
  readonly #prefix: string;

  constructor(bucket: IBucket, prefix: string) {
    this.#bucket = bucket;
    this.#prefix = prefix;
  }

  bind(): ReceiptRuleActionConfig {
    return { s3Action: { bucketName: this.#bucket.bucketName, objectKeyPrefix: this.#prefix } };
  }
}

/** Tells a function, and does not wait for it: a mail is taken whatever becomes of the function. */
export class TellFunction implements IReceiptRuleAction {
  readonly #arn: string;

  constructor(arn: string) {
    this.#arn = arn;
  }

  bind(): ReceiptRuleActionConfig {
    return { lambdaAction: { functionArn: this.#arn, invocationType: 'Event' } };
  }
}

/** No other rule sees the mail. */
export class StopThere implements IReceiptRuleAction {
  bind(): ReceiptRuleActionConfig {
    return { stopAction: { scope: 'RuleSet' } };
  }
}
