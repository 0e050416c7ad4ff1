import type { ConverseRequest } from '@aws-sdk/client-bedrock-runtime';
import type { Evidence } from '../../lib/evidence/types.ts';
import { offlineReader } from '../../lib/local/reader/reader.ts';
import type { Call } from '../../lib/proposal/call.ts';
import type { Category } from '../../lib/proposal/catalogue.ts';
import { type MaterialsOptions, materialsText, type PastAction } from '../../lib/proposal/materials.ts';
import { resolve } from '../../lib/proposal/resolve.ts';
import { type Proposal, parseProposal, toolSpecifications } from '../../lib/proposal/schema.ts';
import { triageSpecification, triageTool } from '../../lib/proposal/triage.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import { type CaseId, caseIdOf } from '../../lib/provenance/identifiers.ts';
import { exampleCircle } from './cases.ts';
import { ManualClock } from './time.ts';

/** The moment at which tests of the reader take place, unless they say another. */
export const readingTime = '2027-02-01T12:00:00Z';

type Given = Partial<MaterialsOptions> & { readonly evidence: Evidence };

function asked(given: Given, tools: ReturnType<typeof toolSpecifications>): ConverseRequest {
  const clock = new ManualClock(readingTime);
  const text = materialsText({ circle: exampleCircle, standing: 'accepted', clock, ...given });
  return {
    modelId: 'caregate.offline-reader',
    messages: [{ role: 'user', content: [{ text }] }],
    toolConfig: { tools: tools.map((toolSpec) => ({ toolSpec })), toolChoice: { any: {} } },
  };
}

async function useOf(request: ConverseRequest): Promise<{ tool: string; input: unknown }> {
  const response = await offlineReader(request, 'caregate.offline-reader');
  const uses = (response.output?.message?.content ?? []).flatMap(({ toolUse }) => toolUse ?? []);
  const [use] = uses;
  if (use === undefined || uses.length > 1) throw new TypeError(`the reader used ${uses.length} tools`);
  return { tool: use.name ?? '', input: use.input };
}

/** What the reader says a mail is about. */
export async function triaged(evidence: Evidence): Promise<string> {
  const { tool, input } = await useOf(asked({ evidence }, [triageSpecification('other')]));
  return tool === triageTool ? (input as { category: string }).category : tool;
}

/** The one proposal of the reader, checked as the product checks it. */
export async function proposalOf(given: Given): Promise<Proposal> {
  const { tool, input } = await useOf(asked(given, toolSpecifications('other')));
  return parseProposal(tool, input);
}

/**
 * All proposals of the reader for a mail, up to and without the one that stops, each of them resolved. What goes to no
 * entry of the circle is refused, everything else counts as done.
 */
export async function planned(
  evidence: Evidence,
  category: Category,
  before: Partial<MaterialsOptions> = {},
): Promise<{ proposals: Proposal[]; reason: unknown; refused: number }> {
  const actions: PastAction[] = [...(before.actions ?? [])];
  const circle = before.circle ?? exampleCircle;
  const given = { ...before, circle, evidence, category };
  const caseId: CaseId = caseIdOf(circle.id, sha256('a mail'), true);
  const proposals: Proposal[] = [];
  let denied: string | undefined;
  while (proposals.length < 12) {
    const proposal = await proposalOf({ ...given, actions, denied });
    const action = actions.length + 1;
    const call = resolve(proposal, { evidence, circle, case: caseId, action });
    if (proposal.tool === 'no_further_action') {
      const refused = actions.filter(({ outcome }) => outcome === 'DENY').length;
      return { proposals, reason: proposal.input.reason, refused };
    }
    denied = isTrusted(call) ? undefined : 'DESTINATION_NOT_TRUSTED';
    proposals.push(proposal);
    const outcome = denied === undefined ? 'ALLOW' : 'DENY';
    actions.push({ action, ...proposal, outcome, reason: denied ?? 'FILING_IS_SAFE' });
  }
  throw new TypeError('the reader does not come to an end');
}

function isTrusted(call: Call): boolean {
  return Object.values(call.arguments).every(
    (argument) => argument.class === 'VALUE' || argument.trust === 'TRUSTED',
  );
}
