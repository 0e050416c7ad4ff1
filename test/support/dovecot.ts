import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from './certificate.ts';

const program = ['/usr/sbin/dovecot', '/usr/local/sbin/dovecot'].find((path) => existsSync(path));
const hasImap = ['/usr/lib/dovecot/imap', '/usr/libexec/dovecot/imap'].some((path) => existsSync(path));

/** Why tests against a real Dovecot are skipped here; nothing where they run. */
export const noDovecot =
  program !== undefined && hasImap ? undefined : 'Dovecot is not installed (Debian: dovecot-imapd)';

export interface DovecotOptions {
  /** Messages that the mailbox may hold. */
  readonly quota?: number;
  /** Capabilities that the server does not name, such as `IDLE`. */
  readonly without?: readonly string[];
}

/** A real mail server of one household in a directory of its own, on this machine only, as an ordinary user. */
export interface Dovecot {
  readonly user: string;
  readonly password: string;
  /** The port of plain IMAP with STARTTLS. */
  readonly port: number;
  /** The port of IMAP over TLS. */
  readonly tlsPort: number;
  /** The certificate in PEM, and the file that it lies in. */
  readonly certificate: string;
  readonly certificateFile: string;
  /** Lays a mail into a folder, as a delivery agent does. Works while the server is down. */
  deliver(mail: Uint8Array | string, folder?: string): void;
  /** The files of every mail in a folder. */
  mails(folder?: string): readonly string[];
  makeFolder(name: string): void;
  removeFolder(name: string): void;
  setPassword(password: string): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Numbers the mailbox anew, as a server does that lost its index. */
  renumber(): Promise<void>;
  /** Ends it, and removes all of it. */
  remove(): Promise<void>;
}

// Dovecot refuses to read mail as root; as anybody else it needs no rights at all.
const account =
  process.getuid?.() === 0 ? { name: 'nobody', ...idsOf('nobody') } : { name: userInfo().username };

function idsOf(name: string): { uid: number; gid: number } {
  const [, , uid, gid] =
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
      .find(([each]) => each === name) ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

export async function startDovecot(options: DovecotOptions = {}): Promise<Dovecot> {
  const root = mkdtempSync(join(tmpdir(), 'cg-imap-'));
  chmodSync(root, 0o755);
  const [port, tlsPort] = [await freePort(), await freePort()];
  const file = (name: string): string => join(root, name);
  const maildir = file('home/Maildir');
  const user = 'care@home.example';
  let password = 'open, sesame @50%/#?';
  const own = (path: string): void => {
    if ('uid' in account) chownSync(path, account.uid, account.gid);
  };
  const make = (path: string): void => {
    mkdirSync(path, { recursive: true });
    own(path);
  };
  const folderOf = (name = 'INBOX'): string => (name === 'INBOX' ? maildir : join(maildir, `.${name}`));
  const makeFolder = (name: string): void => {
    make(folderOf(name));
    for (const part of ['cur', 'new', 'tmp']) make(join(folderOf(name), part));
  };
  const writePasswords = (): void => {
    writeFileSync(file('passwords'), `${user}:{PLAIN}${password}\n`);
  };
  make(root);
  make(file('home'));
  makeFolder('INBOX');
  const { cert, certFile, keyFile } = selfSigned(root);
  own(keyFile);
  writePasswords();
  writeFileSync(file('dovecot.conf'), configuration(root, port, tlsPort, options));
  let running: ChildProcess | undefined;
  // A test that ends before it can stop the server leaves none behind.
  const abandoned = (): void => void running?.kill('SIGTERM');
  process.once('exit', abandoned);
  const start = async (): Promise<void> => {
    running = spawn(program ?? 'dovecot', ['-F', '-c', file('dovecot.conf')], {
      stdio: 'ignore',
      ...account,
    });
    await answering(port, running, () => log(file('dovecot.log')));
  };
  const stop = async (): Promise<void> => {
    const child = running;
    running = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    await ended;
  };
  await start();
  let delivered = 0;
  return {
    user,
    get password() {
      return password;
    },
    port,
    tlsPort,
    certificate: cert,
    certificateFile: certFile,
    deliver: (mail, folder) => {
      const name = `${Math.floor(Date.now() / 1000)}.${process.pid}_${++delivered}.home`;
      const written = join(folderOf(folder), 'tmp', name);
      writeFileSync(written, mail);
      own(written);
      renameSync(written, join(folderOf(folder), 'new', name));
    },
    mails: (folder) =>
      ['cur', 'new'].flatMap((part) => {
        const directory = join(folderOf(folder), part);
        return existsSync(directory) ? readdirSync(directory).map((name) => join(directory, name)) : [];
      }),
    makeFolder,
    removeFolder: (name) => rmSync(folderOf(name), { recursive: true, force: true }),
    setPassword: async (next) => {
      password = next;
      writePasswords();
      await stop();
      await start();
    },
    start,
    stop,
    renumber: async () => {
      await stop();
      for (const name of readdirSync(maildir)) {
        if (/^dovecot(?:-uidlist|-uidvalidity|\.index|\.list)/.test(name)) rmSync(join(maildir, name));
      }
      await start();
    },
    remove: async () => {
      process.off('exit', abandoned);
      await stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function configuration(
  root: string,
  port: number,
  tlsPort: number,
  { quota, without = [] }: DovecotOptions,
): string {
  const capabilities = without.length === 0 ? '' : `imap_capability = IMAP4rev1 LITERAL+ UIDPLUS NAMESPACE`;
  return `
base_dir = ${root}/run
state_dir = ${root}/state
log_path = ${root}/dovecot.log
protocols = imap
listen = 127.0.0.1
default_internal_user = ${account.name}
default_internal_group = ${groupOf()}
default_login_user = ${account.name}
first_valid_uid = 1
ssl = yes
ssl_cert = <${root}/cert.pem
ssl_key = <${root}/key.pem
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_failure_delay = 0
auth_cache_size = 0
mail_location = maildir:${root}/home/Maildir
mail_max_userip_connections = 50
maildir_very_dirty_syncs = no
mailbox_idle_check_interval = 1 secs
passdb {
  driver = passwd-file
  args = scheme=PLAIN username_format=%u ${root}/passwords
}
userdb {
  driver = static
  args = uid=${idsFor().uid} gid=${idsFor().gid} home=${root}/home
}
${quota === undefined ? '' : 'mail_plugins = $mail_plugins quota'}
protocol imap {
  ${capabilities}
  ${quota === undefined ? '' : 'mail_plugins = $mail_plugins imap_quota'}
}
${quota === undefined ? '' : `plugin {\n  quota = count:household\n  quota_rule = *:messages=${quota}\n  quota_vsizes = yes\n}`}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = ${tlsPort}
    ssl = yes
  }
}
service anvil {
  chroot =
  # A wrong password makes nobody wait.
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
namespace inbox {
  inbox = yes
}
`;
}

function idsFor(): { uid: number; gid: number } {
  return 'uid' in account ? account : { uid: userInfo().uid, gid: userInfo().gid };
}

function groupOf(): string {
  const { gid } = idsFor();
  const line = readFileSync('/etc/group', 'utf8')
    .split('\n')
    .find((each) => each.split(':')[2] === String(gid));
  return line?.split(':')[0] ?? 'nogroup';
}

function log(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

async function answering(port: number, child: ChildProcess, said: () => string): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    if (await greets(port)) return;
    if (child.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`Dovecot did not start: ${said()}`);
}

function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('data', () => end(true));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
  });
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** A wire between a client and a server that can be cut. */
export interface Wire {
  readonly port: number;
  /** Connections that were made so far. */
  readonly connections: number;
  /** Whether one stands now. */
  readonly inUse: boolean;
  /** Ends every connection at once, as a router does that is switched off. */
  cut(): void;
  close(): Promise<void>;
}

export async function startWire(to: number): Promise<Wire> {
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer((client) => {
    connections += 1;
    const upstream = connect(to, '127.0.0.1');
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    get connections() {
      return connections;
    },
    get inUse() {
      return open.size > 0;
    },
    cut,
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
