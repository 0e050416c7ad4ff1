import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

interface StoredMail {
  readonly bytes: Buffer;
  readonly flags: Set<string>;
  readonly received: string;
}

/** How a server misbehaves, as real ones do. */
export interface ImapManners {
  capabilities: string;
  permanentFlags: string;
  uidValidity: number;
  /** Used and most bytes, in units of 1,024, where it has QUOTA. */
  quota: readonly [number, number];
  /** Whether it says which UID comes next. */
  saysUidNext: boolean;
  /** What it answers to a sign-in or a command, in place of doing it: `NO [OVERQUOTA] full`. */
  readonly refusals: Map<'LOGIN' | 'AUTHENTICATE' | 'SELECT' | 'MOVE' | 'STORE' | 'STATUS', string>;
  /** UIDs of mails that it does not hand out. */
  readonly broken: Set<number>;
  /** What it says of other mails in the middle of a listing. */
  readonly besides: string[];
  /** Whether it says nothing more when it is asked for a mail. */
  silent: boolean;
  /** Sizes that it claims. */
  readonly sizes: Map<number, number>;
}

/**
 * A small IMAP server for what a real one cannot be made to do at will. It speaks as much of RFC 9051 as a pick-up needs.
 */
export class ImapServer {
  readonly manners: ImapManners = {
    capabilities: 'IMAP4rev1 IDLE MOVE UIDPLUS',
    permanentFlags: '\\Seen \\Flagged \\*',
    uidValidity: 7,
    quota: [0, 0],
    saysUidNext: true,
    refusals: new Map(),
    broken: new Set(),
    besides: [],
    silent: false,
    sizes: new Map(),
  };
  readonly mails = new Map<number, StoredMail>();
  readonly moved: number[] = [];
  /** The commands that were given, without their tags. */
  readonly commands: string[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #idling = new Map<Socket, string>();
  /** Up to which mail a client was told. */
  readonly #known = new Map<Socket, number>();
  #next = 1;

  private constructor() {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(): Promise<ImapServer> {
    const server = new ImapServer();
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  deliver(text: string, received = '01-Dec-2026 08:00:00 +0000'): number {
    const uid = this.#next++;
    this.mails.set(uid, { bytes: Buffer.from(text), flags: new Set(), received });
    for (const socket of this.#idling.keys()) this.#tell(socket);
    return uid;
  }

  /** Somebody removes a mail, in another program. */
  remove(uid: number): void {
    const sequence = [...this.mails.keys()].indexOf(uid) + 1;
    this.mails.delete(uid);
    for (const socket of this.#idling.keys()) socket.write(`* ${sequence} EXPUNGE\r\n`);
  }

  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#sockets.delete(socket);
      this.#idling.delete(socket);
    });
    socket.write('* OK ready\r\n');
    let rest = '';
    socket.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString('latin1')).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#command(socket, line);
    });
  }

  #command(socket: Socket, line: string): void {
    const idle = this.#idling.get(socket);
    if (line === 'DONE' && idle !== undefined) {
      this.#idling.delete(socket);
      socket.write(`${idle} OK done\r\n`);
      return;
    }
    const [, tag = '', command = ''] = /^(\S+) (.*)$/.exec(line) ?? [];
    this.commands.push(command);
    if (command === 'IDLE') {
      this.#idling.set(socket, tag);
      socket.write('+ idling\r\n');
      this.#tell(socket);
      return;
    }
    if (this.manners.silent && command.includes('BODY')) return;
    const said = this.#answer(command);
    if (command.startsWith('SELECT')) this.#known.set(socket, this.#next);
    const end = said.at(-1)?.match(/^(?:NO|BAD|OK) /) ? (said.pop() ?? '') : 'OK done';
    for (const part of said) socket.write(Buffer.from(`${part}\r\n`, 'latin1'));
    socket.write(`${tag} ${end}\r\n`);
  }

  #tell(socket: Socket): void {
    if (this.#known.get(socket) !== this.#next) socket.write(`* ${this.mails.size} EXISTS\r\n`);
    this.#known.set(socket, this.#next);
  }

  #answer(command: string): string[] {
    const { manners } = this;
    const [word = ''] = command.split(' ');
    const name = word === 'UID' ? (command.split(' ')[1] ?? '') : word;
    const refusal = manners.refusals.get(name as 'LOGIN');
    if (refusal !== undefined) return [refusal];
    if (name === 'CAPABILITY') return [`* CAPABILITY ${manners.capabilities}`];
    if (name === 'LIST') return manners.refusals.has('SELECT') ? [] : ['* LIST () "/" INBOX'];
    if (name === 'SELECT') return this.#select();
    if (name === 'GETQUOTAROOT')
      return ['* QUOTAROOT INBOX all', `* QUOTA all (STORAGE ${manners.quota.join(' ')})`];
    if (name === 'STATUS') return ['* STATUS Done (MESSAGES 0)'];
    if (name === 'SEARCH') return [`* SEARCH ${this.#before(command).join(' ')}`];
    if (name === 'FETCH') return this.#fetch(command);
    if (name === 'STORE' || name === 'MOVE') return this.#change(name, command);
    return [];
  }

  #select(): string[] {
    const { permanentFlags, uidValidity, saysUidNext } = this.manners;
    return [
      `* ${this.mails.size} EXISTS`,
      `* OK [PERMANENTFLAGS (${permanentFlags})] kept`,
      `* OK [UIDVALIDITY ${uidValidity}] valid`,
      ...(saysUidNext ? [`* OK [UIDNEXT ${this.#next}] next`] : []),
      'OK [READ-WRITE] selected',
    ];
  }

  #before(command: string): number[] {
    const day = Date.parse(`${/BEFORE "?([^" ]+)/.exec(command)?.[1]} UTC`);
    return [...this.mails].flatMap(([uid, { received }]) => (Date.parse(received) < day ? [uid] : []));
  }

  #fetch(command: string): string[] {
    const answers: string[] = command.includes('BODY') ? [] : [...this.manners.besides];
    const uids = this.#uids(command.split(' ')[2] ?? '');
    for (const uid of uids) {
      const mail = this.mails.get(uid);
      if (mail === undefined) continue;
      const sequence = [...this.mails.keys()].indexOf(uid) + 1;
      const [, start = '0', most = '0'] = /BODY\.PEEK\[\]<(\d+)\.(\d+)>/.exec(command) ?? [];
      if (most === '0') {
        const size = this.manners.sizes.get(uid) ?? mail.bytes.length;
        answers.push(`* ${sequence} FETCH (UID ${uid} RFC822.SIZE ${size} INTERNALDATE "${mail.received}")`);
        continue;
      }
      if (this.manners.broken.has(uid)) return ['NO [SERVERBUG] cannot read it'];
      const bytes = mail.bytes.subarray(Number(start), Number(start) + Number(most));
      answers.push(
        `* ${sequence} FETCH (UID ${uid} BODY[]<0> {${bytes.length}}\r\n${bytes.toString('latin1')})`,
      );
    }
    return answers;
  }

  #change(name: string, command: string): string[] {
    for (const uid of this.#uids(command.split(' ')[2] ?? '')) {
      if (name === 'MOVE') {
        this.moved.push(uid);
        this.mails.delete(uid);
      } else {
        const [, flags = ''] = /\(([^)]*)\)/.exec(command) ?? [];
        for (const flag of flags.split(' ')) this.mails.get(uid)?.flags.add(flag);
      }
    }
    return [];
  }

  /** The UIDs of a set; `*` is the last one, even where the other end is higher (RFC 9051, 9). */
  #uids(set: string): number[] {
    const all = [...this.mails.keys()];
    const last = all.at(-1) ?? 0;
    return all.filter((uid) =>
      set.split(',').some((part) => {
        const ends = part.split(':').map((end) => (end === '*' ? last : Number(end)));
        return uid >= Math.min(...ends) && uid <= Math.max(...ends);
      }),
    );
  }
}
