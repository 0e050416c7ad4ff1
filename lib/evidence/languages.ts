import { Temporal } from '@js-temporal/polyfill';
import * as chrono from 'chrono-node';
import type { Circle } from '../provenance/circle.ts';

/** How dates are written in one language. */
export interface DateParser {
  readonly chrono: chrono.Chrono;
  /** Weekday names in lower case, long and short, to 1 (Monday) to 7. */
  readonly weekdays: ReadonlyMap<string, number>;
  /** Words that a text in this language has beside its dates; nothing for one that every text is read in. */
  readonly cue?: RegExp | undefined;
}

/** How dates are read where a circle lives. */
export interface DateLanguage {
  /** That of the circle first, then English; then those of other letters, for texts with words of theirs. */
  readonly parsers: readonly DateParser[];
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
const cues: Readonly<Record<string, RegExp>> = {
  de: /(?<!\p{L})(?:jänner|januar|februar|märz|mai|juni|juli|oktober|dezember|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|uhr)(?!\p{L})/iu,
  es: /(?<!\p{L})(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|sep?tiembre|octubre|noviembre|diciembre|lunes|martes|miércoles|jueves|viernes|sábado|domingo)(?!\p{L})/iu,
  fr: /(?<!\p{L})(?:janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)(?!\p{L})/iu,
};

const known = new Map<string, DateLanguage>();

/** How dates are read for a circle. */
export function dateLanguage({ locale }: Pick<Circle, 'locale'>): DateLanguage {
  const found = known.get(locale) ?? buildLanguage(locale);
  known.set(locale, found);
  return found;
}

function buildLanguage(locale: string): DateLanguage {
  const [language = '', region = ''] = locale.split('-');
  const monthFirst = monthFirstRegions.has(region);
  const own = parsers[language];
  const others = Object.keys(cues).filter((each) => each !== language);
  return {
    parsers: [
      ...(own === undefined ? [] : [{ chrono: own, weekdays: weekdayNames(language) }]),
      { chrono: english(monthFirst), weekdays: weekdayNames('en') },
      ...others.flatMap((each) => foreignParser(each)),
    ],
    twentyFourHours: language !== 'en' && !hasTwelveHours(locale),
    monthFirst,
  };
}

function foreignParser(language: string): DateParser[] {
  const parser = parsers[language];
  if (parser === undefined) return [];
  return [{ chrono: parser, weekdays: weekdayNames(language), cue: cues[language] }];
}

function hasTwelveHours(locale: string): boolean {
  return new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions().hour12 === true;
}

function weekdayNames(language: string): Map<string, number> {
  const monday = Temporal.PlainDate.from('2024-01-01');
  const names = [0, 1, 2, 3, 4, 5, 6].flatMap((days) =>
    (['long', 'short'] as const).map((weekday): [string, number] => [
      monday.add({ days }).toLocaleString(language, { weekday }).replace('.', '').toLowerCase(),
      days + 1,
    ]),
  );
  return new Map(names);
}
