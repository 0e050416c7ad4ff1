const instant =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/;
const day = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Whether a text is a time that means one thing only: an ISO 8601 instant with its offset, or an ISO date for a whole
 * day. A local time is refused, since nothing says where; a day that no calendar has, too.
 */
export function isMoment(text: string): boolean {
  const date = day.test(text) ? text : instant.exec(text)?.[1];
  return date !== undefined && isCalendarDay(date);
}

/** `Date` carries 30 February over into March, so a real day is one that comes back unchanged. */
function isCalendarDay(date: string): boolean {
  const parsed = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date);
}
