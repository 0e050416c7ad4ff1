import { CaregateError } from '../errors.ts';
import type { CaseDocument, Evidence } from '../evidence/types.ts';
import type { Standing } from '../mail/standing.ts';
import { clippedPages, clippedText, clippedValue, mostDocuments } from '../model/clip.ts';
import type { ModelFailureCode } from '../model/failure.ts';
import { todayIn } from '../model/guard.ts';
import type { Circle } from '../provenance/circle.ts';
import type { Clock } from '../provenance/clock.ts';
import type { Fact } from '../provenance/trust.ts';
import type { Category, ToolName } from './catalogue.ts';

/** An action of the case so far, refused ones included. */
export interface PastAction {
  readonly action: number;
  readonly tool: ToolName;
  readonly input: Readonly<Record<string, unknown>>;
  /** How the gate decided. */
  readonly outcome: string;
  /** A reason code of the closed list: never a text that could carry something from a mail to the model. */
  readonly reason: string;
}

export interface MaterialsOptions {
  readonly evidence: Evidence;
  readonly circle: Circle;
  readonly standing: Standing;
  readonly clock: Clock;
  readonly category?: Category | undefined;
  readonly actions?: readonly PastAction[] | undefined;
  /** The reason code of the refusal that this is a new attempt after. */
  readonly denied?: string | undefined;
  /** The code of the failure that this is a second attempt after. */
  readonly failed?: ModelFailureCode | null | undefined;
}

/** Everything that a model is shown of a case. */
export type Materials = ReturnType<typeof materials>;

// Facts and the texts of past actions.
const mostFacts = 120;
const longestQuote = 160;
const longestSummary = 120;

/**
 * Collects what a model is shown: ids to choose from, and the texts of the documents, cut to a budget and saying so.
 * Addresses of the circle's people and contacts are not part of it: a model points at an entry, and cannot leak or
 * misspell what it has not seen.
 */
export function materials(options: MaterialsOptions) {
  const { circle, clock, evidence } = options;
  return {
    today: todayIn(circle.timezone, clock),
    timezone: circle.timezone,
    locale: circle.locale,
    standing: options.standing,
    category: options.category ?? null,
    circle: circleView(circle),
    ...evidenceView(evidence),
    actions: (options.actions ?? []).map(actionView),
    denied: options.denied === undefined ? null : code(options.denied),
    failed: options.failed ?? null,
  };
}

/** The materials as one JSON text: a document's words are JSON strings in it, so that they cannot break out. */
export function materialsText(options: MaterialsOptions): string {
  return JSON.stringify(materials(options));
}

function circleView(circle: Circle) {
  const named = (list: readonly { id: string; name: string }[]) => list.map(({ id, name }) => ({ id, name }));
  return {
    patient: circle.patient.name,
    contacts: named(circle.contacts),
    folders: named(circle.folders),
    calendars: named(circle.calendars),
    portals: named(circle.portals),
    providers: named(circle.providers),
    grants: circle.grants.map(({ grantee, role }) => ({ grantee, role })),
  };
}

function evidenceView({ documents, facts }: Evidence) {
  const shown = documents.slice(0, mostDocuments);
  const pages = clippedPages(documents);
  const views = shown.map((document, index) => documentView(document, pages[index] ?? []));
  const aliases = new Map(documents.map(({ id, alias }) => [id, alias]));
  return {
    documents: views,
    facts: facts.slice(0, mostFacts).map((fact) => factView(fact, aliases.get(fact.source.document))),
    omitted: {
      documents: documents.length - shown.length,
      facts: Math.max(0, facts.length - mostFacts),
    },
  };
}

function documentView(document: CaseDocument, pages: readonly string[]) {
  const { alias, kind, name, unread } = document;
  const clipped = pages.some((text, index) => text.length < (document.pages[index] ?? '').length);
  return { alias, kind, name: clippedText(name, longestSummary), pages, clipped, unread: unread ?? null };
}

function factView(fact: Fact, document: string | undefined) {
  const { id, kind, value, group, trust, source } = fact;
  return {
    id,
    kind,
    value: clippedText(value, longestQuote),
    group: group ?? null,
    trust,
    document: document ?? null,
    page: source.page,
    quote: clippedText(source.quote, longestQuote),
  };
}

function actionView({ action, tool, outcome, reason, input }: PastAction) {
  return {
    action,
    tool,
    input: clippedValue(input, longestSummary),
    outcome: code(outcome),
    reason: code(reason),
  };
}

/** A refusal is told as a code, so that it cannot carry words from an attacker back to the model. */
function code(text: string): string {
  if (/^[A-Z][A-Z_]{0,63}$/.test(text)) return text;
  throw new CaregateError('INVALID_INPUT', '`reason` is not a code of the closed list; pass the code alone');
}
