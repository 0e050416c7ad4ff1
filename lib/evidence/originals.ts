import { type Forward, forwardsIn } from '../mail/forwards.ts';
import type { Fact } from '../provenance/trust.ts';
import { draftFact, type Page } from './draft.ts';

/** The mails of one page: a chain of more is known well enough. */
const mostOriginals = 12;

/**
 * Who wrote the mails that a page forwards or quotes, when, and about what. They are never more than UNTRUSTED, since
 * anybody can write such lines: they say what a text claims about itself.
 *
 * @param page attacker-controlled
 * @param embedded whether the page is the header of an embedded mail
 */
export function originalsOf(page: Page, embedded: boolean): Fact<'UNTRUSTED'>[] {
  const forwards = forwardsIn(page.text, { certain: embedded }).slice(0, mostOriginals);
  return forwards.flatMap((forward) => originalOf(page, forward));
}

function originalOf(page: Page, { from, date, subject }: Forward): Fact<'UNTRUSTED'>[] {
  const facts = [draftFact(page, 'original_sender', senderText(from), from)];
  if (date?.value !== undefined) facts.push(draftFact(page, 'original_date', date.value, date));
  if (subject !== undefined) facts.push(draftFact(page, 'original_subject', subject.text, subject));
  return facts;
}

function senderText({ name, address }: Forward['from']): string {
  if (address === undefined || name === '') return address ?? name;
  return `${name} <${address}>`;
}
