/** The package export `caregate/policy`: the gate for the tools of any agent. See docs/gate-for-other-agents.md. */
export { CaregateError, type ErrorCode, isCaregateError } from '../errors.ts';
export { type Call, callDigest } from '../proposal/call.ts';
export { type Category, catalogue, type ToolSpec } from '../proposal/catalogue.ts';
export { type Circle, loadCircle, parseCircle } from '../provenance/circle.ts';
export { type CallFile, parseCallFile, readCall } from './callfile.ts';
export { type Clearance, clear, requireClearance } from './clearance.ts';
export type { Consent, ConsentVerifier } from './consent.ts';
export {
  type ConsentRequirement,
  type Decision,
  type Outcome,
  type ReasonCode,
  reasonCodes,
} from './decision.ts';
export { type GateRequest, gate } from './gate.ts';
/** For tests of a policy of your own: every mutant of it should be noticed by one of your cases. */
export { type Mutant, mutantsOf } from './mutants.ts';
export { renderCall, renderToolCall } from './rendering.ts';
export type { CaseStanding, Catalogue } from './request.ts';
export { type CompiledPolicy, compilePolicy, type PolicySources } from './rules.ts';
