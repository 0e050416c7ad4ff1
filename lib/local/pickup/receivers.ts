/** Who took a mail in from the internet for the household, and how it writes down what it found out. */
export interface Receiver {
  /** The authserv-ids of its `Authentication-Results`, in lower case; `*.` in front stands for any host below. */
  readonly servers: readonly string[];
  /** The domains of its own mail hosts. */
  readonly hosts: readonly string[];
  /**
   * Whether it writes several such fields, one after the other, above the `Received` of the hop from outside. Where it
   * writes one below that, what follows it is the sender's, and only the topmost field is read.
   */
  readonly several: boolean;
}

/**
 * Providers of which it is known that they put their own results on every mail from outside, whatever it claims and
 * whether or not anything passed, so that the topmost field of their id is theirs. Seen in mails with forged results that
 * were sent to accounts there (the collection `dkimchecks-2022-09-28` of the Delta Chat core). Others, among them those
 * that write a result only where one passed, are not here; Outlook.com writes no authserv-id, so that its results
 * cannot be told from anybody's.
 */
const known: readonly (Receiver & { readonly imap: RegExp })[] = [
  {
    imap: /^imap\.(?:gmail|googlemail)\.com$/,
    servers: ['mx.google.com'],
    hosts: ['google.com'],
    several: false,
  },
  {
    imap: /(?:^|[.-])imap\.mail\.me\.com$/,
    servers: ['*.icloud.com'],
    hosts: ['icloud.com', 'me.com', 'mac.com', 'apple.com'],
    several: true,
  },
  {
    imap: /^imap\.fastmail\.com$/,
    servers: ['*.messagingengine.com'],
    hosts: ['messagingengine.com', 'internal'],
    several: true,
  },
];

/**
 * The receiver behind an IMAP server, as far as its results can be believed.
 * @param authserv the authserv-id that the household names for its own server, if it does
 */
export function receiverFor(host: string, authserv?: string): Receiver | undefined {
  if (authserv === undefined) return known.find(({ imap }) => imap.test(host.toLowerCase()));
  const server = authserv.toLowerCase();
  return {
    servers: [server],
    hosts: [...domainsOf(server), ...domainsOf(host.toLowerCase())],
    several: false,
  };
}

/** A host, and the domain that it is a host of: never one that is a whole top level. */
function domainsOf(host: string): string[] {
  const parent = host.split('.').slice(1).join('.');
  return parent.includes('.') ? [host, parent] : [host];
}

/** Whether `name` is one of the receiver's authserv-ids. */
export function isServerOf({ servers }: Receiver, name: string): boolean {
  return servers.some((server) =>
    server.startsWith('*.') ? name.endsWith(server.slice(1)) : name === server,
  );
}

/** Whether a `Received` names one of the receiver's hosts as the one that took the mail. A bare name is a machine inside. */
export function isHostOf({ hosts }: Receiver, name: string): boolean {
  if (name === '') return false;
  return !name.includes('.') || hosts.some((host) => name === host || name.endsWith(`.${host}`));
}
