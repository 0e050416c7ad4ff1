import ICAL from 'ical.js';

/** A property's line in the text of a file. */
export interface Line {
  readonly name: string;
  readonly index: number;
  readonly length: number;
}

/** The calendars of a file, or nothing if it does not parse. */
export function calendarsIn(text: string): ICAL.Component[] | undefined {
  try {
    const parsed: unknown = ICAL.parse(text);
    return rootsOf(parsed).map((root) => new ICAL.Component(root));
  } catch {
    return undefined;
  }
}

type Root = ConstructorParameters<typeof ICAL.Component>[0];

/** One calendar parses to one jCal array, several to a list of them. */
function rootsOf(parsed: unknown): Root[] {
  if (!Array.isArray(parsed)) return [];
  return (typeof parsed[0] === 'string' ? [parsed] : parsed) as Root[];
}

/** How many events of a broken file are looked at one by one. */
const mostMended = 200;

/**
 * The calendars of a file and the lines of each event in it. In a file that does not parse, the events that do not
 * parse alone are blanked out, every other character staying where it is.
 */
export function mendedCalendar(text: string): { calendars: ICAL.Component[]; blocks: Line[][] } {
  const whole = calendarsIn(text);
  if (whole !== undefined) return { calendars: whole, blocks: eventBlocks(text).map(({ lines }) => lines) };
  const blocks = eventBlocks(text);
  if (blocks.length > mostMended) return { calendars: [], blocks: [] };
  const mended = blocks.filter(({ from, to }) => !parsesAlone(text.slice(from, to)));
  let [rest, at] = ['', 0];
  for (const { from, to } of mended) {
    rest += text.slice(at, from) + '\n'.repeat(to - from);
    at = to;
  }
  const left = blocks.filter((block) => !mended.includes(block)).map(({ lines }) => lines);
  return { calendars: calendarsIn(rest + text.slice(at)) ?? [], blocks: left };
}

function parsesAlone(event: string): boolean {
  return calendarsIn(`BEGIN:VCALENDAR\n${event}\nEND:VCALENDAR`) !== undefined;
}

interface Block {
  readonly from: number;
  to: number;
  readonly lines: Line[];
}

/** The property lines of every event, without those of the components inside it, as they stand in the text. */
function eventBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  let depth = 0;
  for (const match of text.matchAll(/^([A-Za-z0-9-]+)[;:](.*)$/gm)) {
    const [whole, name = '', rest = ''] = match;
    const key = name.toUpperCase();
    const component = rest.trim().toUpperCase();
    const end = match.index + whole.length;
    if (key === 'BEGIN' && depth === 0 && component === 'VEVENT') {
      blocks.push({ from: match.index, to: end, lines: [] });
    }
    if (key === 'BEGIN') depth += depth > 0 || component === 'VEVENT' ? 1 : 0;
    else if (key === 'END') depth -= depth > 0 ? 1 : 0;
    else if (depth === 1) blocks.at(-1)?.lines.push({ name: key, index: match.index, length: whole.length });
    const open = blocks.at(-1);
    if (open !== undefined && key === 'END' && component === 'VEVENT') open.to = end;
  }
  return blocks;
}
