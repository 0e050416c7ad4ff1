import type { Randomness } from '../provenance/randomness.ts';
import { newSalt } from './code.ts';
import type { ApprovalEntry } from './entry.ts';
import { issueLink, type LinkClaims, type LinkSigner } from './link.ts';

/** What an entry of the register begins with, whatever is asked for. */
export type Asked = Pick<
  ApprovalEntry,
  | 'id'
  | 'kind'
  | 'circle'
  | 'case'
  | 'action'
  | 'execution'
  | 'tool'
  | 'callDigest'
  | 'record'
  | 'need'
  | 'requestedAt'
  | 'expires'
  | 'token'
>;

/** A new entry: open, chosen by nobody, mailed to nobody, with a link of each person's own. */
export async function openEntry(
  { signer, randomness }: { readonly signer: LinkSigner; readonly randomness: Randomness },
  asked: Asked,
  purpose: LinkClaims['purpose'],
  asks: readonly string[],
): Promise<ApprovalEntry> {
  const { id: approval, callDigest, expires } = asked;
  const people: ApprovalEntry['people'] = {};
  const secrets: ApprovalEntry['secrets'] = {};
  for (const person of asks) {
    const claims = { approval, callDigest, person, purpose, expires };
    const link = await issueLink({ ...signer, claims });
    people[person] = { mailed: 0, reminded: false, wrong: 0, wrongAt: 0 };
    secrets[person] = { salt: newSalt(randomness), hashes: [], link };
  }
  return { ...asked, approvals: 0, status: 'open', callbackTries: 0, people, secrets };
}
