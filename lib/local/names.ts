/** What the embedded office calls its resources. A deployment has names of its own. */
export const names = {
  region: 'us-east-1',
  account: '000000000000',
  caseBucket: 'caregate-cases',
  inboxBucket: 'caregate-inbox',
  caseTable: 'caregate-cases',
  approvalTable: 'caregate-approvals',
  ruleSet: 'caregate',
} as const;

/** Every function of the deployment: one folder of `lambdas/` each. */
export const functionNames = [
  'ingest',
  'dispatch',
  'triage',
  'evidence',
  'plan',
  'gate',
  'request-approval',
  'request-answer',
  'request-release',
  'execute',
  'reconcile',
  'verify',
  'record',
  'notify',
  'park',
  'close',
  'report',
  'audit',
  'sweep',
  'resume',
  'web',
  'health',
  'decide',
] as const;
export type FunctionName = (typeof functionNames)[number];

/** The placeholder of a function in a state machine's file: `request-approval` is `${RequestApprovalFunction}`. */
export function placeholder(name: FunctionName): string {
  const words = name.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `\${${words.join('')}Function}`;
}
