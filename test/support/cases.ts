import type { CaseDocument, Evidence } from '../../lib/evidence/types.ts';
import { type Circle, loadCircle } from '../../lib/provenance/circle.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import type { Fact } from '../../lib/provenance/trust.ts';

/** The invented household of the repository. */
export const exampleCircle: Circle = loadCircle('rules/circle.example.yaml');

export type GivenDocument = Partial<Omit<CaseDocument, 'id' | 'alias' | 'size'>> & { readonly text?: string };
export type GivenFact = Partial<Pick<Fact, 'trust' | 'group'>> &
  Pick<Fact, 'kind' | 'value'> & { readonly document?: string; readonly quote?: string };

/** Evidence with the given documents (`d1`, `d2`, …) and facts (`f1`, …), written by hand instead of read from a mail. */
export function evidenceOf(documents: readonly GivenDocument[], facts: readonly GivenFact[] = []): Evidence {
  const all = documents.map((given, index): CaseDocument => {
    const { text = '', ...rest } = given;
    const alias = `d${index + 1}`;
    return {
      id: sha256(`${alias} ${text}`),
      alias,
      kind: 'text',
      name: `part-${index + 1}`,
      contentType: 'text/plain',
      size: text.length,
      pages: [text],
      ...rest,
    };
  });
  return { documents: all, facts: facts.map((given, index) => factOf(given, index, all)) };
}

function factOf(given: GivenFact, index: number, documents: readonly CaseDocument[]): Fact {
  const { kind, value, trust = 'UNTRUSTED', group, document = 'd1', quote = value } = given;
  const source = documents.find(({ alias }) => alias === document)?.id ?? sha256(document);
  return { id: `f${index + 1}`, kind, value, trust, group, source: { document: source, page: 1, quote } };
}
