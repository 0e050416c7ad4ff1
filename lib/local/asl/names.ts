import { limits } from './limits.ts';
import { StatesRefusal } from './refusal.ts';

/** A name of a machine or execution. @throws StatesRefusal `InvalidName` */
export function requireName(name: string): void {
  if (/^[\w.-]{1,80}$/.test(name)) return;
  // What AWS excludes: blanks, brackets, wildcards, special and control characters.
  const bad = /[\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}]/u;
  if (name.length === 0 || name.length > limits.nameLength || bad.test(name)) {
    throw new StatesRefusal('InvalidName', `Invalid Name: '${name.slice(0, limits.nameLength)}'`);
  }
}

export interface Place {
  readonly region: string;
  readonly account: string;
}

export function stateMachineArn({ region, account }: Place, name: string): string {
  return `arn:aws:states:${region}:${account}:stateMachine:${name}`;
}

export function executionArn({ region, account }: Place, machine: string, name: string): string {
  return `arn:aws:states:${region}:${account}:execution:${machine}:${name}`;
}

const arnForms = {
  stateMachine: /^arn:aws[^:]*:states:[^:]+:\d{12}:stateMachine:[^:]+$/u,
  execution: /^arn:aws[^:]*:states:[^:]+:\d{12}:execution:[^:]+:[^:]+$/u,
} as const;

/** @throws StatesRefusal `InvalidArn` for what is not an ARN of this kind at all */
export function requireArn(arn: string, kind: keyof typeof arnForms): void {
  if (arnForms[kind].test(arn)) return;
  throw new StatesRefusal('InvalidArn', `Invalid Arn: '${arn.slice(0, 256)}'`);
}
