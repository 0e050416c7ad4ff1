import timezones from 'timezones.json/timezones.json' with { type: 'json' };
import { findIana } from 'windows-iana';

/**
 * The IANA zone of a Windows zone: by its name (CLDR), or by what Windows shows for it, as Outlook on the web writes
 * it: `(UTC+01:00) Amsterdam, Berlin, Bern, Rome`. Editions name other cities for one zone, so each city is looked up
 * and all must lie in the same zone.
 *
 * @param name attacker-controlled
 * @returns nothing for a name that means nothing, or more than one thing
 */
export function windowsZone(name: string): string | undefined {
  const [named] = findIana(name);
  return named ?? zoneOfDisplayName(name);
}

const displayName = /^\((?:UTC|GMT)(?:[+-]\d{2}:?\d{2})?\)\s*(?<places>\S.{1,100})$/;

function zoneOfDisplayName(name: string): string | undefined {
  const places = displayName.exec(name)?.groups?.places;
  if (places === undefined) return undefined;
  const zones = new Set(placesOf(places).map((place) => placeZones().get(place)));
  const [zone] = zones;
  return zones.size === 1 ? zone : undefined;
}

let known: ReadonlyMap<string, string | undefined> | undefined;

/** Each place of the display names and its zone; nothing for a place of several zones. */
function placeZones(): ReadonlyMap<string, string | undefined> {
  if (known !== undefined) return known;
  const zones = new Map<string, string | undefined>();
  for (const { text, value, utc } of timezones) {
    const shown = displayName.exec(text)?.groups?.places;
    if (shown === undefined || / - Old$/.test(shown)) continue;
    const places = placesOf(shown);
    const zone = findIana(value)[0] ?? utc.find((each) => places.includes(cityOf(each)));
    if (zone === undefined) continue;
    for (const place of places) {
      zones.set(place, zones.has(place) && zones.get(place) !== zone ? undefined : zone);
    }
  }
  known = zones;
  return zones;
}

const cityOf = (zone: string): string => zone.slice(zone.lastIndexOf('/') + 1).toLowerCase();

/** Places in lower case; one that is daylight saving time is the zone that has it. */
function placesOf(text: string): string[] {
  return text
    .toLowerCase()
    .replace(/\b(?:standard|daylight) (?=time\b)/g, '')
    .replace(/&amp;/g, '&')
    .split(',')
    .map((place) => place.trim());
}
