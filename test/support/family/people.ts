import type { ParsedMail } from 'mailparser';
import { simpleParser } from 'mailparser';
import { drawer, hour } from './mails.ts';

/** A notice as the provider of the household took it. */
export interface Received {
  readonly kind: string;
  /** The id of the approval that its first link is for, where it has one. */
  readonly approval?: string;
  readonly to: string;
  readonly links: readonly string[];
  readonly code?: string;
  readonly messageId: string;
  readonly at: number;
}

/** Reads a notice as a person's mail program does. */
export async function receive(raw: string, at: number): Promise<Received> {
  const mail: ParsedMail = await simpleParser(raw);
  const text = mail.text ?? '';
  const links = [...text.matchAll(/https?:\/\/\S+\/a\/[\w.-]+/g)].map(([link]) => link);
  const code = /\b(\d{3} ?\d{3})\b/.exec(text.replace(/https?:\/\/\S+/g, ''))?.[1]?.replace(' ', '');
  const to = Array.isArray(mail.to) ? mail.to[0]?.text : mail.to?.value[0]?.address;
  const approval = links[0] === undefined ? undefined : approvalOf(links[0]);
  return {
    kind: String(mail.headers.get('x-caregate-notice') ?? 'letter'),
    to: to ?? '',
    links,
    messageId: mail.messageId ?? '',
    at,
    ...(code === undefined ? {} : { code }),
    ...(approval === undefined ? {} : { approval }),
  };
}

/** The approval that a link is for: its token says so in the clear, signed. */
export function approvalOf(link: string): string {
  const [, payload = ''] = (link.split('/a/')[1] ?? '').split('.');
  const claims: Record<string, unknown> = JSON.parse(Buffer.from(payload, 'base64url').toString());
  return String(claims.approval ?? claims.jti ?? claims.sub);
}

/** What the people of the household do with what they are asked: some at once, some late, some never, some wrongly. */
export class People {
  readonly #draw: () => number;
  readonly #plans: { readonly at: number; readonly act: () => Promise<void> }[] = [];
  readonly #asked = new Set<string>();
  readonly #address: (link: string) => string;

  /** @param address where a link leads by now: an office that was opened anew has another port */
  constructor(seed: number, address: (link: string) => string) {
    this.#draw = drawer(seed);
    this.#address = address;
  }

  /** Takes a notice into account, as soon as it lies in somebody's mailbox. */
  see(notice: Received): void {
    const asks = ['approval_request', 'question', 'quarantine_summary'].includes(notice.kind);
    if (!asks || notice.code === undefined) return;
    for (const link of notice.links) {
      const id = approvalOf(link);
      if (this.#asked.has(id)) continue;
      this.#asked.add(id);
      this.#plan(notice, link);
    }
  }

  #plan(notice: Received, link: string): void {
    const code = notice.code ?? '';
    const mood = this.#draw();
    const at = notice.at + (1 + this.#draw() * 20) * hour;
    const send = (fields: Record<string, string>) => () => this.#submit(link, fields);
    const wrong = { code: code === '111111' ? '222222' : '111111', choice: 'approve' };
    if (notice.kind === 'quarantine_summary') {
      if (mood < 0.15) this.#plans.push({ at, act: send({ code, choice: 'approve' }) });
    } else if (notice.kind === 'question') {
      if (mood < 0.5)
        this.#plans.push({ at, act: send({ code, choice: 'answer', answer: 'Please file it.' }) });
    } else if (mood < 0.55) {
      if (mood < 0.1) this.#plans.push({ at: at - hour / 2, act: send(wrong) });
      this.#plans.push({ at, act: send({ code, choice: 'approve' }) });
    } else if (mood < 0.7)
      this.#plans.push({ at, act: send({ code, choice: 'decline', reason: 'Not now.' }) });
    else if (mood < 0.8)
      this.#plans.push({ at: notice.at + 50 * hour, act: send({ code, choice: 'approve' }) });
  }

  /** Does what is due. */
  async act(now: number): Promise<void> {
    const due = this.#plans.filter(({ at }) => at <= now).sort((one, other) => one.at - other.at);
    for (const plan of due) {
      this.#plans.splice(this.#plans.indexOf(plan), 1);
      await plan.act();
    }
  }

  async #submit(link: string, fields: Record<string, string>): Promise<void> {
    const response = await fetch(this.#address(link), { method: 'POST', body: new URLSearchParams(fields) });
    await response.arrayBuffer();
  }
}
