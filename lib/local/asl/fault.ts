/** The moments at which a crash is tested: a child process is killed at each of them. */
export const faultPoints = [
  'before-commit',
  'inside-commit',
  'after-commit',
  'before-invoke',
  'after-answer',
  'answer-recorded',
  'callback-recorded',
  'callback-durable',
  'timer-due',
  'retry-recorded',
  'wait-recorded',
  'ended',
  'before-notice',
  'after-notice',
  'recovered',
] as const;

export type FaultPoint = (typeof faultPoints)[number];

export function noFaults(_point: FaultPoint): void {}
