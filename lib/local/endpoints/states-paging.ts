import { StatesRefusal } from '../asl/refusal.ts';

export interface Paged {
  /** 0 asks for the default of 100. */
  readonly maxResults: number;
  readonly nextToken?: string | undefined;
}

export function pageSize({ maxResults }: Paged): number {
  return maxResults === 0 ? 100 : maxResults;
}

/** Where a page begins. @throws StatesRefusal `InvalidToken` for a token that is not one of ours */
export function offsetOf(nextToken: string | undefined): number {
  if (nextToken === undefined) return 0;
  const offset = /^after-(\d{1,9})$/.exec(Buffer.from(nextToken, 'base64url').toString('latin1'))?.[1];
  if (offset === undefined) throw new StatesRefusal('InvalidToken', "Invalid Token: 'Invalid token'");
  return Number(offset);
}

/** A page out of one more item than it may have: the surplus one tells that there is a next page. */
export function page<T>(items: readonly T[], paged: Paged): { items: readonly T[]; nextToken?: string } {
  const size = pageSize(paged);
  if (items.length <= size) return { items };
  const next = `after-${offsetOf(paged.nextToken) + size}`;
  return { items: items.slice(0, size), nextToken: Buffer.from(next).toString('base64url') };
}
