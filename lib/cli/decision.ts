import { approvalIdSchema } from '../casefile/schemas.ts';
import { CaregateError, type ErrorCode } from '../errors.ts';
import { type MailedLink, mailedLinks } from '../local/outboxcodes.ts';
import type { CaseId } from '../provenance/identifiers.ts';
import { findCase } from './caselookup.ts';
import { linkOf } from './casereport.ts';
import { createOutput, exitCodes } from './output.ts';
import { type CommonOptions, type Session, withOffice } from './session.ts';
import { settle } from './settling.ts';
import { resultTable } from './table.ts';

export interface DecisionOptions extends CommonOptions {
  readonly code: string;
  readonly person?: string;
  readonly reason?: string;
}

/** Approves or declines a call on its page, as the form there does, and waits for what becomes of the case. */
export async function decideCall(
  id: string,
  choice: 'approve' | 'decline',
  options: DecisionOptions,
): Promise<number | undefined> {
  return withOffice(options, async (session) => {
    const known = approvalIdSchema.safeParse(id);
    const view = known.success ? await session.office.register.view(known.data) : undefined;
    if (view === undefined) {
      throw new CaregateError(
        'NOT_FOUND',
        `approval \`${id}\` does not exist; list them with \`caregate approvals\``,
      );
    }
    if (view.kind === 'question') {
      throw new CaregateError(
        'INVALID_INPUT',
        `\`${id}\` is a question; answer it with \`caregate answer ${view.case}\``,
      );
    }
    const link = await linkFor(session, id, options.person, options.code);
    const fields = {
      code: options.code,
      choice,
      ...(options.reason === undefined ? {} : { reason: options.reason }),
    };
    return submit(session, link, fields, view.case, options);
  });
}

export interface AnswerOptions extends CommonOptions {
  readonly text: string;
  readonly code?: string;
  readonly person?: string;
}

/** Answers the open question of a case on its page. */
export async function answerQuestion(given: string, options: AnswerOptions): Promise<number | undefined> {
  return withOffice(options, async (session) => {
    const entry = await findCase(session.office, given);
    const open = await session.office.register.listOpen(session.office.circle);
    const question = open.find((view) => view.case === entry.case && view.kind === 'question');
    if (question === undefined) {
      throw new CaregateError(
        'NOT_FOUND',
        `case \`${entry.case}\` waits for no answer; see \`caregate why ${entry.case}\``,
      );
    }
    const link = await linkFor(session, question.id, options.person, options.code);
    const fields = { code: options.code ?? link.code, choice: 'answer', answer: options.text };
    return submit(session, link, fields, entry.case, options);
  });
}

/** What the page's refusals are, by their status. */
const refusals: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  400: [
    'INVALID_INPUT',
    '`--code` has six digits, and a text must not be empty or too long; nothing was decided',
  ],
  403: [
    'APPROVAL_CODE_WRONG',
    '`--code` is not the right one; copy it from the newest mail; nothing was decided',
  ],
  404: ['APPROVAL_LINK_INVALID', 'the link of this approval is not one that was issued here'],
  409: ['APPROVAL_CLOSED', 'this was decided already; see `caregate cases`'],
  410: ['APPROVAL_CLOSED', 'the time to decide this is over; see `caregate cases`'],
  429: ['APPROVAL_LOCKED', 'too many wrong codes; the link is locked for 15 minutes'],
};

/** The link of the person who is named, or else of the one whose code is typed: several may have been asked. */
async function linkFor(
  session: Session,
  id: string,
  person: string | undefined,
  code = '',
): Promise<MailedLink> {
  const links = await mailedLinks(session.outbox);
  const hers = person === undefined ? links : links.filter((candidate) => candidate.person === person);
  const typed = code.replace(/\D/g, '');
  const link = hers.find((one) => one.approval === id && one.code === typed) ?? linkOf(hers, id);
  if (link === undefined) {
    throw new CaregateError(
      'NOT_FOUND',
      `the outbox has no mail with the link of \`${id}\`; decide on the page that was mailed`,
    );
  }
  return link;
}

/** Sends the form of a page. The page's answer says what happened; its status says whether it took effect. */
async function submit(
  session: Session,
  link: MailedLink,
  fields: Readonly<Record<string, string>>,
  caseId: CaseId,
  options: CommonOptions,
): Promise<number | undefined> {
  const output = createOutput(options.json === true);
  const path = new URL(link.url).pathname;
  const answer = await fetch(new URL(path, session.office.file.web), {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });
  if (!answer.ok) {
    const [code, message] = refusals[answer.status] ?? [
      'UNEXPECTED',
      `the page answered with status ${answer.status}`,
    ];
    throw new CaregateError(code, message);
  }
  const [report] = await settle(session, [caseId]);
  if (report === undefined) return exitCodes.failed;
  output.object(report);
  for (const line of resultTable([{ name: report.case, report }])) output.line(line);
  return undefined;
}
