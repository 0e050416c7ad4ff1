import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CaregateError } from '../errors.ts';
import { compilePolicyFiles } from '../local/policyfiles.ts';
import { parseCallFile } from '../policy/callfile.ts';
import { reasonCodes } from '../policy/decision.ts';
import { gate } from '../policy/gate.ts';
import type { Circle } from '../provenance/circle.ts';
import { systemClock } from '../provenance/clock.ts';
import { loadConnectionCircle } from './circlefile.ts';
import { createOutput } from './output.ts';
import type { CommonOptions } from './session.ts';

export interface GateOptions extends CommonOptions {
  readonly circle?: string;
  readonly rules?: string;
}

/** Prints the decision on a call that stands in a file. Nothing is started, recorded or executed. */
export async function gateFile(file: string, options: GateOptions): Promise<void> {
  const output = createOutput(options.json === true);
  const circle = loadConnectionCircle(options.data, options.circle);
  const rules = options.rules ?? fileURLToPath(new URL('../../rules', import.meta.url));
  const policy = compilePolicyFiles(rules, circle);
  const request = callIn(file, circle);
  const decision = gate(policy, { ...request, now: systemClock.now() });
  output.object(decision);
  output.line(`${decision.outcome}  ${decision.reason}`);
  output.line(`  ${reasonCodes[decision.reason]}`);
  output.line(`  rules    ${decision.matched.join(', ') || 'none matched'}`);
  if (decision.warnings.length > 0) output.line(`  warnings ${decision.warnings.join(', ')}`);
  if (decision.consent !== undefined) {
    output.line(`  consent  ${decision.consent.people} of ${decision.consent.roles.join(' or ')}`);
  }
  output.line(`  call     ${decision.callDigest}`);
  output.line(`  policy   ${decision.policyDigest}`);
}

function callIn(file: string, circle: Circle) {
  const text = readCall(file);
  try {
    return parseCallFile(text, circle);
  } catch (cause) {
    if (!(cause instanceof CaregateError)) throw cause;
    throw new CaregateError(cause.code, `file \`${file}\`: ${cause.message}`, { cause });
  }
}

function readCall(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CaregateError('NOT_FOUND', `file \`${file}\` cannot be read; check the path`, { cause });
  }
}
