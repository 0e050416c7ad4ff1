import type { ConverseRequest } from '@aws-sdk/client-bedrock-runtime';
import * as z from 'zod';
import { parsedJson } from './json.ts';

/** The part of an evidence request that the reader looks at. */
const recordSchema = z.object({
  documents: z.array(z.object({ alias: z.string(), kind: z.string(), pages: z.array(z.string()) })),
  facts: z.array(z.object({ kind: z.string(), value: z.string() })),
});

interface RecordedFact {
  readonly kind: string;
  readonly value: string;
  readonly quote: string;
  readonly document: string;
  readonly page: number;
}

/**
 * What the reader adds to the facts that code has read: who signs a letter. That stands under a farewell, on a line
 * of its own, and no pattern of a name finds it. It sees nothing else that code does not see.
 */
export function factsToRecord(request: ConverseRequest): RecordedFact[] {
  const text = request.messages?.at(-1)?.content?.flatMap((block) => block.text ?? [])[0];
  const desk = recordSchema.safeParse(parsedJson(text));
  if (!desk.success) return [];
  const { documents, facts } = desk.data;
  const known = new Set(facts.map(({ value }) => value));
  return documents
    .filter(({ kind }) => kind !== 'calendar')
    .flatMap(({ alias, pages }) =>
      pages.flatMap((page, index) => {
        const signed = signatureOf(page);
        if (signed === undefined || known.has(signed)) return [];
        return [{ kind: 'organisation', value: signed, quote: signed, document: alias, page: index + 1 }];
      }),
    )
    .slice(0, 10);
}

const farewell =
  /^(?:yours (?:sincerely|faithfully|truly)|(?:kind|best|warm) regards|sincerely|mit freundlichen grüßen|freundliche grüße|atentamente|un (?:cordial )?saludo(?: cordial)?|cordialement|bien à vous)[,.]?$/iu;

/** The first line under a farewell, if it reads as the name of an office rather than of a person. */
function signatureOf(page: string): string | undefined {
  const lines = page.split('\n').map((line) => line.trim());
  const at = lines.findIndex((line) => farewell.test(line));
  if (at === -1) return undefined;
  const signed = lines.slice(at + 1, at + 4).find((line) => line !== '');
  const office =
    /(?<!\p{L})(?:office|team|bookings|department|service|services|practice|clinic|radiologie|sekretariat|secretaría|secrétariat|administration)(?!\p{L})/iu;
  return signed !== undefined && signed.length <= 80 && office.test(signed) ? signed : undefined;
}
