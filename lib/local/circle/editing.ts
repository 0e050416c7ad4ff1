import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isMap, isSeq, parseDocument } from 'yaml';
import { CaregateError } from '../../errors.ts';
import { type Circle, circleDigest, parseCircle } from '../../provenance/circle.ts';
import type { Sha256 } from '../../provenance/digest.ts';

/** The lists of a circle that the command line changes. The rest is edited by hand, with the comments beside it. */
export type EditedList = 'people' | 'contacts';

export interface EditedCircle {
  readonly circle: Circle;
  readonly before: Sha256;
  readonly after: Sha256;
}

/** Writes a circle's file for its owner alone, whole or not at all, after checking that it is a circle. */
export function writeCircle(file: string, text: string): Circle {
  const circle = parseCircle(text, file);
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return circle;
}

/**
 * Adds an entry to a list of a circle's file, whose comments stay.
 * @throws CaregateError `CONFIGURATION_INVALID` if the file would no longer be a circle: nothing is changed then
 */
export function addEntry(
  file: string,
  list: EditedList,
  entry: Readonly<Record<string, unknown>>,
): EditedCircle {
  return edit(file, (document) => {
    const entries = document.get(list);
    const node = document.createNode(entry, { flow: true });
    if (isSeq(entries)) {
      entries.flow = false; // an empty list may stand as `[]`
      entries.add(node);
    } else document.set(list, document.createNode([node]));
  });
}

/**
 * Takes the entry of an id out of a list.
 * @throws CaregateError `NOT_FOUND`, or `CONFIGURATION_INVALID` as {@link addEntry}
 */
export function removeEntry(file: string, list: EditedList, id: string): EditedCircle {
  return edit(file, (document) => {
    const entries = document.get(list);
    const items = isSeq(entries) ? entries.items : [];
    const index = items.findIndex((item) => isMap(item) && item.get('id') === id);
    if (index === -1) {
      throw new CaregateError('NOT_FOUND', `\`${id}\` is not one of \`${list}\`; list them to see the ids`);
    }
    items.splice(index, 1);
  });
}

function edit(file: string, change: (document: ReturnType<typeof parseDocument>) => void): EditedCircle {
  const text = readFileSync(file, 'utf8');
  const before = circleDigest(parseCircle(text, file));
  const document = parseDocument(text);
  change(document);
  const circle = writeCircle(file, document.toString({ lineWidth: 0 }));
  return { circle, before, after: circleDigest(circle) };
}
