import { Temporal } from '@js-temporal/polyfill';
import * as chrono from 'chrono-node';
import type { Circle } from '../provenance/circle.ts';

/** How dates are written where a circle lives. Letters in English are read everywhere. */
export interface DateLanguage {
  readonly parsers: readonly chrono.Chrono[];
  /** Weekday names in lower case, long and short, to 1 (Monday) to 7. */
  readonly weekdays: ReadonlyMap<string, number>;
  /** Whether a time without am or pm is one of 24 hours. */
  readonly twentyFourHours: boolean;
  /** Whether numbers stand as month, day, year. */
  readonly monthFirst: boolean;
}

const monthFirstRegions = new Set(['US', 'PH', 'CA']);
const english = (monthFirst: boolean): chrono.Chrono =>
  new chrono.Chrono(chrono.en.configuration.createConfiguration(true, !monthFirst));
const parsers: Readonly<Record<string, chrono.Chrono>> = {
  de: chrono.de.strict,
  es: chrono.es.strict,
  fr: chrono.fr.strict,
  it: chrono.it.strict,
  nl: chrono.nl.strict,
  pt: chrono.pt.strict,
  sv: chrono.sv.strict,
};

const known = new Map<string, DateLanguage>();

/** How dates are read for a circle: in its language first, then in English. */
export function dateLanguage({ locale }: Pick<Circle, 'locale'>): DateLanguage {
  const found = known.get(locale) ?? buildLanguage(locale);
  known.set(locale, found);
  return found;
}

function buildLanguage(locale: string): DateLanguage {
  const [language = '', region = ''] = locale.split('-');
  const monthFirst = monthFirstRegions.has(region);
  const own = parsers[language];
  return {
    parsers: own === undefined ? [english(monthFirst)] : [own, english(monthFirst)],
    weekdays: new Map([...weekdayNames('en'), ...weekdayNames(language)]),
    twentyFourHours: language !== 'en',
    monthFirst,
  };
}

function weekdayNames(language: string): [string, number][] {
  const monday = Temporal.PlainDate.from('2024-01-01');
  return [0, 1, 2, 3, 4, 5, 6].flatMap((days) =>
    (['long', 'short'] as const).map((weekday): [string, number] => [
      monday.add({ days }).toLocaleString(language, { weekday }).replace('.', '').toLowerCase(),
      days + 1,
    ]),
  );
}
