import { readdirSync } from 'node:fs';
import { basename } from 'node:path';

/** What a bench file exports: it measures, and returns the lines to print. */
export interface Bench {
  readonly title: string;
  measure(): Promise<readonly string[]>;
}

const directory = new URL('.', import.meta.url);
const [wanted] = process.argv.slice(2);
const all = readdirSync(directory)
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => basename(file, '.bench.ts'));
const names = all.filter((name) => wanted === undefined || name === wanted);

if (names.length === 0) {
  console.error(`no bench is named \`${wanted}\`; name one of: ${all.join(', ')}`);
  process.exitCode = 1;
}
for (const name of names) {
  const { title, measure } = (await import(new URL(`${name}.bench.ts`, directory).href)) as Bench;
  console.log(`\n${title}`);
  for (const line of await measure()) console.log(`  ${line}`);
}
