import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from './certificate.ts';
import { freePort } from './dovecot.ts';

const program = ['/usr/sbin/exim4', '/usr/sbin/exim'].find((path) => existsSync(path));

/** Why tests against a real SMTP relay are skipped here; nothing where they run. It changes its user, as root alone may. */
export const noExim =
  program === undefined
    ? 'Exim is not installed (Debian: exim4-daemon-light)'
    : process.getuid?.() === 0
      ? undefined
      : 'Exim with a configuration of its own has to be started by root';

/** A mail that the relay took over. */
export interface Relayed {
  readonly recipients: readonly string[];
  readonly subject: string;
}

/** A real mail relay in a directory of its own, on this machine only: it takes mail over TLS from who signs in. */
export interface Exim {
  readonly port: number;
  /** The certificate in PEM. */
  readonly certificate: string;
  /** Everything that it has taken over, and keeps. */
  taken(): readonly Relayed[];
  /** Stops asking senders to `grey@…` to try again later. */
  welcomeGrey(): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  remove(): Promise<void>;
}

export const relayUser = { user: 'care', password: 'an app password' };

export async function openExim(): Promise<Exim> {
  const root = mkdtempSync(join(tmpdir(), 'caregate-exim-'));
  const file = (name: string): string => join(root, name);
  const port = await freePort();
  for (const folder of ['spool', 'log']) mkdirSync(file(folder));
  const { cert, certFile, keyFile } = selfSigned(root);
  writeFileSync(file('exim.conf'), configuration(root, port));
  execFileSync('chown', ['-R', 'nobody:nogroup', file('spool'), file('log'), keyFile, certFile]);
  execFileSync('chmod', ['755', root]);
  let running: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    if (running === undefined) return;
    const ended = once(running, 'exit');
    running.kill('SIGKILL');
    await ended;
    running = undefined;
  };
  return {
    port,
    certificate: cert,
    taken: () => relayedIn(file('spool/input')),
    welcomeGrey: () => writeFileSync(file('welcome'), ''),
    start: async () => {
      running = spawn(program ?? 'exim4', ['-C', file('exim.conf'), '-bdf'], { stdio: 'ignore' });
      await answering(port);
    },
    stop,
    remove: async () => {
      await stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function relayedIn(spool: string): Relayed[] {
  if (!existsSync(spool)) return [];
  return readdirSync(spool, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('-H'))
    .map((name) => {
      const text = readFileSync(join(spool, name), 'latin1');
      const [envelope = '', headers = ''] = text.split(/\n\n/);
      const recipients = envelope
        .split('\n')
        .filter((line) => /^\S+@\S+$/.test(line) && !line.startsWith('<'));
      return { recipients, subject: /\d+[ A-Z*]+ Subject: (.*)/.exec(headers)?.[1] ?? '' };
    });
}

/** Waits until it greets. */
async function answering(port: number): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    const greeted = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('data', () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('data', () => socket.destroy());
    });
    if (greeted) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new TypeError('exim does not answer');
}

function configuration(root: string, port: number): string {
  const { user, password } = relayUser;
  const right = (name: string, secret: string): string =>
    `\${if and{{eq{${name}}{${user}}}{eq{${secret}}{${password}}}}}`;
  return `primary_hostname = relay.example
spool_directory = ${root}/spool
log_file_path = ${root}/log/%slog
pid_file_path = ${root}/spool/exim.pid
daemon_smtp_ports = ${port}
local_interfaces = 127.0.0.1
exim_user = nobody
exim_group = nogroup
never_users =
keep_environment =
host_lookup =
rfc1413_hosts =
queue_only = true
message_size_limit = 1M
tls_advertise_hosts = *
tls_certificate = ${root}/cert.pem
tls_privatekey = ${root}/key.pem
auth_advertise_hosts = \${if eq{$tls_in_cipher}{}{}{*}}
acl_smtp_mail = accept
acl_smtp_rcpt = check_rcpt
acl_smtp_data = accept
begin acl
check_rcpt:
  deny message = sign in first
       !authenticated = *
  deny message = no such user
       local_parts = gone
  defer message = greylisted
        local_parts = grey
        condition = \${if exists{${root}/welcome}{no}{yes}}
  accept
begin routers
all:
  driver = accept
  transport = none
begin transports
none:
  driver = appendfile
  file = /dev/null
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_condition = ${right('$auth2', '$auth3')}
  server_set_id = $auth2
`;
}
