import { expect } from 'vitest';
import type { CaseReport } from '../../lib/cli/casereport.ts';
import { post } from '../../lib/cli/posting.ts';
import type { Session } from '../../lib/cli/session.ts';
import { settle } from '../../lib/cli/settling.ts';
import { type Office, type OfficeOptions, openOffice } from '../../lib/local/office.ts';
import { type MailedLink, mailedLinks } from '../../lib/local/outboxcodes.ts';
import type { CaseId } from '../../lib/provenance/identifiers.ts';
import { freshData } from './office.ts';

/** An office in the process of the test, for what needs a model that does as it is told. */
export interface EmbeddedOffice extends Session {
  readonly running: Office;
  /** Hands a mail over and waits until its case came to rest. */
  hand(raw: Uint8Array, from: string): Promise<CaseReport>;
  settled(id: string): Promise<CaseReport>;
  /** The newest link that asks for `approval`. */
  link(approval: string | undefined): Promise<MailedLink>;
  /** Sends the form of a link's page. */
  submit(link: MailedLink, fields: Readonly<Record<string, string>>): Promise<number>;
}

export async function embeddedOffice(options: Partial<OfficeOptions> = {}): Promise<EmbeddedOffice> {
  const running = await openOffice({
    ...options,
    data: options.data ?? freshData(),
  });
  const session: Session = { office: running.connection, outbox: running.data.outbox, started: true };
  const settled = async (id: string): Promise<CaseReport> => {
    const [report] = await settle(session, [id as CaseId]);
    expect(report).toBeDefined();
    return report as CaseReport;
  };
  return {
    ...session,
    running,
    settled,
    hand: async (raw, from) =>
      settled(await post(session.office, running.circle.inbox, { name: 'a mail', raw, from })),
    link: async (approval) => {
      const found = (await mailedLinks(session.outbox)).find((link) => link.approval === approval);
      expect(found).toBeDefined();
      return found as MailedLink;
    },
    submit: async (link, fields) => {
      const body = new URLSearchParams(fields);
      return (await fetch(link.url, { method: 'POST', body, redirect: 'manual' })).status;
    },
  };
}
