import { digestOf } from '../provenance/digest.ts';
import type { CircleId } from '../provenance/identifiers.ts';
import { layout } from './layout.ts';

/**
 * The name of an invitation's appointment. Its UID says which one is meant, but anyone can write it: the circle and the
 * verified sender are part of the name, so that no sender can name, and later change, an appointment of another.
 *
 * @param uid as the invitation has it; attacker-controlled
 * @returns 160 bits in hexadecimal, so that a UID of it stands on one line of a file: some readers do not unfold it
 */
export function appointmentName(circle: CircleId, sender: string, uid: string): string {
  return digestOf({ circle, sender, uid }).slice(0, 40);
}

/** Where the first version of an appointment lies in a calendar of the circle. */
export function firstVersion(circle: CircleId, calendar: string, name: string): string {
  return `${layout.calendar(circle, calendar)}${name}-0000.ics`;
}

/** Who a mail's sender counts as in names: the verified person or contact, or that somebody released it. */
export function senderName(judgement: { readonly sender?: { readonly id: string } | undefined }): string {
  return judgement.sender?.id ?? 'released';
}
