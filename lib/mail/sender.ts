import type { Circle } from '../provenance/circle.ts';
import { normaliseAddress, sameAddress } from './address.ts';
import type { Delivery } from './delivery.ts';
import { forwardingCodeIn } from './forwardingcode.ts';
import { answersNotice } from './noticeid.ts';
import type { Judgement, Standing, StandingReason } from './standing.ts';
import type { Message } from './types.ts';

/**
 * Decides what a mail is taken for, before anything of it is read. Whether it is really from the address that it
 * names is what the receiver found out about the delivery, never what a header says.
 *
 * @param message the mail; its headers are attacker-controlled
 * @param delivery the receiver's verdicts on this delivery
 */
export function judge(message: Message, delivery: Delivery, circle: Circle): Judgement {
  return (
    unsafe(delivery) ??
    ownMail(message, delivery, circle) ??
    forwardingConfirmation(message, delivery, circle) ??
    automatic(message, delivery) ??
    replyToNotice(message, delivery, circle) ??
    verifiedPerson(message, delivery, circle) ??
    forwardedByPerson(delivery, circle) ??
    verifiedContact(message, delivery, circle) ??
    stranger(message, circle)
  );
}

/** A virus keeps a mail closed for good, and so does a scan that did not end. Spam is kept back to be looked at. */
function unsafe({ verdicts: { virus, spam } }: Delivery): Judgement | undefined {
  if (virus === 'FAIL') return without('quarantined', 'VIRUS_FOUND');
  if (virus === 'GRAY' || virus === 'PROCESSING_FAILED') return without('quarantined', 'SCAN_FAILED');
  return spam === 'FAIL' ? without('quarantined', 'SPAM_FOUND') : undefined;
}

/** Mail from an address that we send from: a copy of a notice, or a forgery of one. Neither starts anything. */
function ownMail(message: Message, delivery: Delivery, circle: Circle): Judgement | undefined {
  const ours = [circle.senders.notices, circle.senders.letters, circle.inbox];
  const named = [...message.from.map((from) => from.address), delivery.source];
  const own = named.some((address) => ours.some((each) => sameAddress(each, address)));
  return own ? without('ignored', 'OWN_MAIL') : undefined;
}

/**
 * Gmail asks whether a mailbox of the circle may forward here. The owner is shown the code; nothing else happens. A
 * request for a mailbox of somebody else is a stranger's mail.
 */
function forwardingConfirmation(message: Message, delivery: Delivery, circle: Circle): Judgement | undefined {
  const asked = forwardingCodeIn(message);
  if (asked === undefined || verifiedSender(message, delivery) === undefined) return undefined;
  const person = circle.people.find(({ email }) => asked.mailboxes.some((each) => sameAddress(each, email)));
  if (person === undefined) return undefined;
  return {
    standing: 'ignored',
    reason: 'FORWARDING_CONFIRMATION',
    sender: { list: 'people', id: person.id },
  };
}

/** Answering a machine makes a loop. A mail with an empty envelope sender is a bounce (RFC 5321, 4.5.5). */
function automatic(message: Message, delivery: Delivery): Judgement | undefined {
  if (message.automatic === 'reply') return without('ignored', 'AUTOMATIC_REPLY');
  if (message.automatic === 'bounce' || /^(?:<>)?$/.test(delivery.source.trim()))
    return without('ignored', 'BOUNCE');
  return message.automatic === 'list' ? without('ignored', 'LIST_POST') : undefined;
}

/**
 * A person answered a notice. Anybody who can write in her name could say yes in a reply, so it decides nothing: she is
 * shown the way to the page that asks for the code.
 */
function replyToNotice(message: Message, delivery: Delivery, circle: Circle): Judgement | undefined {
  if (!answersNotice(message, circle.senders.notices)) return undefined;
  const { sender } = verifiedPerson(message, delivery, circle) ?? {};
  return sender === undefined ? undefined : { standing: 'ignored', reason: 'REPLY_TO_NOTICE', sender };
}

function verifiedPerson(message: Message, delivery: Delivery, circle: Circle): Judgement | undefined {
  const address = verifiedSender(message, delivery);
  const person = circle.people.find((each) => address !== undefined && sameAddress(each.email, address));
  if (person === undefined) return undefined;
  return { standing: 'accepted', reason: 'PERSON_VERIFIED', sender: { list: 'people', id: person.id } };
}

function verifiedContact(message: Message, delivery: Delivery, circle: Circle): Judgement | undefined {
  const address = verifiedSender(message, delivery);
  const contact = circle.contacts.find((each) => address !== undefined && sameAddress(each.email, address));
  if (contact === undefined) return undefined;
  return { standing: 'contact', reason: 'CONTACT_VERIFIED', sender: { list: 'contacts', id: contact.id } };
}

/**
 * The address in From, if the receiver's checks prove it. DMARC proves that SPF or DKIM passed for that very domain.
 * Where the domain publishes no DMARC policy (GRAY), SPF proves it if the envelope sender is the same address. A DKIM
 * pass alone proves nothing about From: the receiver does not say whose signature it was.
 */
function verifiedSender(message: Message, { verdicts, source }: Delivery): string | undefined {
  const [from, ...others] = message.from;
  if (from === undefined || others.length > 0) return undefined;
  if (verdicts.dmarc === 'PASS') return from.address;
  const aligned = verdicts.dmarc === 'GRAY' && verdicts.spf === 'PASS' && sameAddress(source, from.address);
  return aligned ? from.address : undefined;
}

/**
 * A mail that a person's own mailbox passed on by itself. Forwarding breaks DMARC for the original sender, so the
 * envelope sender is what counts, and SPF must have proved it.
 */
function forwardedByPerson(delivery: Delivery, circle: Circle): Judgement | undefined {
  if (delivery.verdicts.spf !== 'PASS') return undefined;
  const person = circle.people.find(
    ({ email }) =>
      sameAddress(email, delivery.source) || sameAddress(gmailForwarder(email, circle), delivery.source),
  );
  if (person === undefined) return undefined;
  return { standing: 'accepted', reason: 'PERSON_FORWARDED', sender: { list: 'people', id: person.id } };
}

/** Gmail's automatic forwarding sends as this one address, made of the mailbox and of where it forwards to. */
function gmailForwarder(email: string, circle: Circle): string {
  const [local, domain] = email.split('@');
  return `${local}+caf_=${circle.inbox.replace('@', '=')}@${domain}`;
}

function stranger(message: Message, circle: Circle): Judgement {
  const known = [...circle.people, ...circle.contacts].map((entry) => normaliseAddress(entry.email));
  const claims = message.from.some(({ address }) => known.includes(normaliseAddress(address) ?? ''));
  return without('quarantined', claims ? 'SENDER_UNVERIFIED' : 'SENDER_UNKNOWN');
}

function without(standing: Standing, reason: StandingReason): Judgement {
  return { standing, reason };
}
