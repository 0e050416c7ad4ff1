import { renameSync, writeFileSync } from 'node:fs';
import { type Clock, isoTime } from '../provenance/clock.ts';
import type { Trouble } from '../web/troubles.ts';

/** What keeps a household's office from doing all of its work: what is wrong, and what a person can do about it. */
export const troubleTexts = {
  'mailbox-password-wrong': {
    says: 'the mailbox refuses user or password, so no mail is picked up',
    remedy:
      'nothing is lost; put the right password, often an app password, into `CAREGATE_IMAP_URL` and start anew',
  },
  'mailbox-sign-in-expired': {
    says: 'the sign-in to the mailbox has run out, so no mail is picked up',
    remedy: 'nothing is lost; sign in again with `caregate sign-in`',
  },
  'mailbox-folder-missing': {
    says: 'the folder that mail is picked up from, or moved to, is gone',
    remedy: 'make it again in your mail program, or name another in `CAREGATE_IMAP_FOLDER`',
  },
  'mailbox-full': {
    says: 'the mailbox is full: what was taken cannot be marked, and new mail may be turned away',
    remedy: 'make room in your mail program; Caregate deletes nothing',
  },
  'mailbox-not-writable': {
    says: 'the mailbox lets what was taken be neither marked nor moved; mail is picked up all the same',
    remedy:
      'it is tried again by itself; where the account may not write there, set `CAREGATE_IMAP_MARK=none`',
  },
  'mailbox-unreachable': {
    says: 'the mailbox cannot be reached, so no mail is picked up',
    remedy: 'it is tried again by itself; look whether the network and the provider work',
  },
  'mailbox-mail-unreadable': {
    says: 'a mail in the mailbox cannot be taken: it is too large, or the server does not hand it out',
    remedy: 'look at it in your mail program; the mails after it are taken all the same',
  },
  'mail-unassigned': {
    says: 'a mail came in for an address that is no inbox of this household',
    remedy:
      'nothing is lost: it is taken up once the circle has that address as its `inbox`; then start anew',
  },
  'inbox-certificate': {
    says: 'the certificate of the inbox for other machines cannot be read, so the one it has is used on',
    remedy:
      'put certificate and key back where `CAREGATE_INBOX_CERT` and `CAREGATE_INBOX_KEY` say; it is taken up by itself',
  },
  'relay-password-wrong': {
    says: 'the mail provider refuses user or password, so no mail leaves',
    remedy:
      'what waits is kept; put the right password, often an app password, into `CAREGATE_SMTP_URL` and start anew',
  },
  'relay-sign-in-expired': {
    says: 'the sign-in to the mail provider has run out, so no mail leaves',
    remedy: 'what waits is kept; sign in again with `caregate sign-in`',
  },
  'relay-rejects': {
    says: 'the mail provider refused a mail for good',
    remedy: 'see which with `caregate outbox`, and look whether its address is right',
  },
  'relay-delays': {
    says: 'the mail provider puts a mail off, so that it waits, while others leave',
    remedy:
      'it is tried again by itself; see which with `caregate outbox`, and look whether its address is right',
  },
  'relay-bounced': {
    says: 'a mail server reports that a letter or notice did not arrive',
    remedy: 'it is not sent again; see which with `caregate outbox`, and ask its recipient in another way',
  },
  'relay-unreachable': {
    says: 'the mail provider cannot be reached, so no mail leaves',
    remedy: 'what waits is kept and sent by itself; look whether the network and the provider work',
  },
  'outbox-damaged': {
    says: 'a mail of the outbox cannot be read any longer, so it does not leave; the others do',
    remedy: 'see which with `caregate outbox`; restore it from a backup, and look whether the disk is sound',
  },
  restored: {
    says: 'this office came out of a backup, so its letters wait: they may have left after it was made',
    remedy: 'look at `caregate outbox`, then let them leave with `caregate outbox --release`',
  },
  'clock-off': {
    says: 'the clock of this machine differs from the clocks of others',
    remedy: 'links and deadlines go by it: set it, or have it set by the network',
  },
  'disk-full': {
    says: 'the data directory cannot be written, so nothing goes on',
    remedy: 'nothing is lost; make room on the disk, it goes on by itself',
  },
  'second-office': {
    says: 'a second office was started on the same data directory, and refused',
    remedy: 'only one may run; look what starts the other, a service perhaps',
  },
  'model-unreachable': {
    says: 'the model does not answer, so the offline reader steps in',
    remedy: 'look whether its server runs; `caregate doctor` asks it',
  },
  'model-slow': {
    says: 'the model takes longer than a minute to answer, so the offline reader steps in',
    remedy: 'take a smaller model or a faster machine; `caregate doctor` says how long it takes',
  },
  'model-refuses': {
    says: 'the model is refused to this office, or is not there, so the offline reader steps in',
    remedy: 'look at its keys and its name in the settings, then start anew; `caregate doctor` asks it',
  },
} as const;
export type TroubleId = keyof typeof troubleTexts;

export interface TroublesOptions {
  /** Where they are kept, for other programs of this machine and for the pages. */
  readonly file: string;
  readonly clock: Clock;
  /** Told when one begins and when it ends. */
  readonly changed?: ((trouble: Trouble, begins: boolean) => void) | undefined;
}

/** What keeps this office from working now. Whoever meets it reports it, and clears it once the same works again. */
export class Troubles {
  readonly #options: TroublesOptions;
  readonly #open = new Map<string, Trouble>();

  /** What an earlier office left is not known to hold any longer: a new one finds out for itself. */
  constructor(options: TroublesOptions) {
    this.#options = options;
    this.#keep();
  }

  /** @param detail a code or a number of ours: never an address, a name, or what a server said */
  report(id: TroubleId, detail?: string): void {
    const now = isoTime(this.#options.clock);
    const known = this.#open.get(id);
    const trouble: Trouble = {
      id,
      ...troubleTexts[id],
      ...(detail === undefined ? {} : { detail }),
      since: known?.since ?? now,
      seen: now,
    };
    this.#open.set(id, trouble);
    this.#keep();
    if (known === undefined) this.#options.changed?.(trouble, true);
  }

  clear(...ids: readonly TroubleId[]): void {
    for (const id of ids) {
      const known = this.#open.get(id);
      if (known === undefined) continue;
      this.#open.delete(id);
      this.#keep();
      this.#options.changed?.(known, false);
    }
  }

  list(): readonly Trouble[] {
    return [...this.#open.values()];
  }

  /** The disk itself may be the trouble: what cannot be written down is still known here. */
  #keep(): void {
    const { file } = this.#options;
    try {
      writeFileSync(`${file}.new`, `${JSON.stringify(this.list(), undefined, 1)}\n`, { mode: 0o600 });
      renameSync(`${file}.new`, file);
    } catch {}
  }
}
