/**
 * What the functions say in their log so that alarms can count it: the value of the key `signal` in a line, which is
 * also the name of the metric. The one place for these names: whoever logs and whoever alarms take them from here.
 */
export const signals = {
  caseParked: 'CaseParked',
  caseDeferred: 'CaseDeferred',
  caseStuck: 'CaseStuck',
  mailUnassigned: 'MailUnassigned',
  budgetRefused: 'BudgetRefused',
  modelThrottled: 'ModelThrottled',
  stepFailed: 'StepFailed',
} as const;
export type Signal = (typeof signals)[keyof typeof signals];

/** The namespace of a deployment's metrics. */
export function signalNamespace(deployment: string): string {
  return `Caregate/${deployment}`;
}
