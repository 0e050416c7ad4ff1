import type { ConverseRequest } from '@aws-sdk/client-bedrock-runtime';
import * as z from 'zod';
import { parsedJson } from './json.ts';

const entry = z.object({ id: z.string(), name: z.string() });

/** The part of the materials that the reader looks at. It knows them from the request alone, as a model does. */
const materialsSchema = z.object({
  today: z.string(),
  locale: z.string(),
  category: z.string().nullable(),
  circle: z.object({
    patient: z.string(),
    contacts: z.array(entry),
    folders: z.array(entry),
    calendars: z.array(entry),
  }),
  documents: z.array(
    z.object({
      alias: z.string(),
      kind: z.string(),
      name: z.string(),
      pages: z.array(z.string()),
      unread: z.string().nullable(),
    }),
  ),
  facts: z.array(
    z.object({
      id: z.string(),
      kind: z.string(),
      value: z.string(),
      group: z.string().nullable(),
      trust: z.string(),
      document: z.string().nullable(),
      quote: z.string(),
    }),
  ),
  actions: z.array(
    z.object({ tool: z.string(), input: z.record(z.string(), z.unknown()), outcome: z.string() }),
  ),
  denied: z.string().nullable(),
});

export type DeskMaterials = z.infer<typeof materialsSchema>;
export type DeskDocument = DeskMaterials['documents'][number];
export type DeskFact = DeskMaterials['facts'][number];
export type DeskAction = DeskMaterials['actions'][number];

/** What lies before the reader: the materials, and the names of the tools that it may use. */
export interface Desk extends DeskMaterials {
  readonly tools: ReadonlySet<string>;
}

/** A tool use as the reader writes it. */
export interface Draft {
  readonly tool: string;
  readonly input: { readonly [name: string]: unknown };
}

/** One thing that the reader knows how to do: a draft, or nothing if there is nothing of the kind left to do. */
export type Intent = (desk: Desk) => Draft | undefined;

/** The desk of a request, or nothing if the user's last message holds no materials. */
export function readDesk(request: ConverseRequest): Desk | undefined {
  const tools = new Set((request.toolConfig?.tools ?? []).flatMap((tool) => tool.toolSpec?.name ?? []));
  const last = request.messages?.at(-1)?.content ?? [];
  for (const { text } of last) {
    const materials = materialsSchema.safeParse(parsedJson(text));
    if (materials.success) return { ...materials.data, tools };
  }
  return undefined;
}

/** The whole text of a document, page after page. */
export function textOf(document: DeskDocument): string {
  return document.pages.join('\n\n');
}

/** Documents that somebody attached to keep: not the mail's own words, not its calendar entries, not its decoration. */
export function attachedDocuments(desk: Desk): DeskDocument[] {
  return desk.documents.filter(
    ({ kind, name }) => ['pdf', 'word', 'image', 'other'].includes(kind) && !decoration.test(name),
  );
}

const decoration =
  /^(logo|image\d+|signature|icon|spacer|banner)\b|\.(p7s|asc|sig|vcf|dat|ics)$|^(winmail|smime)/i;

/** What was proposed before with a tool, refused or not. */
export function proposed(desk: Desk, ...tools: readonly string[]): DeskAction[] {
  return desk.actions.filter(({ tool }) => tools.includes(tool));
}

/** What a person of the circle answered, as the case holds it: a document with the question's id, and facts of it. */
export interface DeskAnswer {
  readonly question: string;
  readonly text: string;
  /** The dates of the answer that can mean one moment only, in its order. */
  readonly starts: readonly DeskFact[];
}

/** The answers of people, in the order in which the questions were asked. A mail cannot write one: its facts are never checked. */
export function answersOf(desk: Desk): DeskAnswer[] {
  return desk.facts.flatMap((answer) => {
    if (answer.kind !== 'answer' || answer.trust === 'UNTRUSTED') return [];
    const document = desk.documents.find(({ alias }) => alias === answer.document);
    const question = /^Question: (\w+)/.exec(document?.pages[0] ?? '')?.[1] ?? '';
    const starts = desk.facts.filter(
      ({ kind, trust, document: alias }) =>
        kind === 'appointment_start' && trust !== 'UNTRUSTED' && alias === answer.document,
    );
    return [{ question, text: answer.value, starts }];
  });
}
