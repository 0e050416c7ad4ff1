import ICAL from 'ical.js';
import { layout } from '../casefile/layout.ts';
import type { ObjectReader } from '../casefile/store.ts';
import type { Circle } from '../provenance/circle.ts';

/** How often a calendar program is asked to look again (RFC 7986, 5.7, and what older ones know). */
const refresh = 'PT1H';

/**
 * All calendars of a circle as one iCalendar object (RFC 5545): every appointment once, as it stands by its newest
 * version. An object that cannot be read is left out rather than breaking the feed of all others; `audit` finds it.
 */
export async function calendarFeed(store: ObjectReader, circle: Circle): Promise<string> {
  const keys = (await store.list(layout.calendars(circle.id))).filter((key) => key.endsWith('.ics'));
  const newest = new Map<string, ICAL.Component>();
  for (const key of keys.sort()) {
    const event = eventIn((await store.read(key)).bytes);
    const uid = event?.getFirstPropertyValue('uid')?.toString();
    if (event === undefined || uid === undefined) continue;
    const before = newest.get(uid);
    if (before === undefined || versionOf(event) >= versionOf(before)) newest.set(uid, event);
  }
  const feed = new ICAL.Component('vcalendar');
  feed.updatePropertyWithValue('version', '2.0');
  feed.updatePropertyWithValue('prodid', '-//Caregate//Caregate//EN');
  feed.updatePropertyWithValue('calscale', 'GREGORIAN');
  feed.updatePropertyWithValue('method', 'PUBLISH');
  const name = `Care calendar: ${circle.patient.name}`;
  for (const property of ['name', 'x-wr-calname']) feed.updatePropertyWithValue(property, name);
  feed.updatePropertyWithValue('refresh-interval', ICAL.Duration.fromString(refresh));
  feed.updatePropertyWithValue('x-published-ttl', refresh);
  for (const event of newest.values()) feed.addSubcomponent(event);
  return `${feed.toString()}\r\n`;
}

function eventIn(bytes: Uint8Array): ICAL.Component | undefined {
  try {
    const calendar = new ICAL.Component(ICAL.parse(new TextDecoder().decode(bytes)));
    return calendar.getFirstSubcomponent('vevent') ?? undefined;
  } catch {
    return undefined;
  }
}

function versionOf(event: ICAL.Component): number {
  return Number(event.getFirstPropertyValue('sequence') ?? 0);
}
