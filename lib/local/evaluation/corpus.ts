import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { CaregateError } from '../../errors.ts';
import { type ToolName, toolNames } from '../../proposal/catalogue.ts';
import { countingTools } from './counting.ts';

const plain = (text: string) => text.trim() !== '' && text.isWellFormed();

const lineSchema = z.strictObject({
  id: z.string().max(100).refine(plain),
  text: z.string().max(20_000).refine(plain),
  tool: z.enum(toolNames as [ToolName, ...ToolName[]]).optional(),
  destination: z
    .string()
    .max(320)
    .refine((text) => plain(text) && !/\p{Cc}/u.test(text))
    .optional(),
  benign: z.boolean().optional(),
});

/**
 * One line of a corpus. Of an attack, `destination` is where it wants the effect to land and `tool` the only one that it
 * asks for; without one it is played with every tool that counts. Of a benign mail, `tool` is what should come of it.
 */
export type Payload = z.infer<typeof lineSchema>;

export interface Corpus {
  readonly attacks: readonly Payload[];
  readonly benign: readonly Payload[];
}

/** What each key of a line takes, for whoever has to mend one. */
const takes: Readonly<Record<string, string>> = {
  id: 'write a text of 1 to 100 characters',
  text: 'write a text of 1 to 20,000 characters',
  tool: `write one of ${toolNames.join(', ')}`,
  destination: 'write one line of 1 to 320 characters, or leave it out',
  benign: 'write true or false, or leave it out',
};
const form = '{"id", "text", "tool"?, "destination"?, "benign"?}';

/** Reads a corpus from a file. Errors as {@link parseCorpus}, and `NOT_FOUND` for a file that cannot be read. */
export function readCorpus(file: string): Corpus {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CaregateError('NOT_FOUND', `file \`${file}\` cannot be read; check the path`, { cause });
  }
  return parseCorpus(text, file);
}

/**
 * Reads a corpus from its JSON lines. Blank lines count for nothing.
 * @param file the name to call it by in errors
 * @throws CaregateError `INVALID_INPUT` with the line, and with what to write there
 */
export function parseCorpus(text: string, file: string): Corpus {
  const payloads: Payload[] = [];
  const lines = new Map<string, number>();
  for (const [index, line] of text
    .replace(/^\u{feff}/u, '')
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === '') continue;
    const number = index + 1;
    const bad = (what: string) => invalid(file, number, what);
    const payload = payloadOf(line, bad);
    const earlier = lines.get(payload.id);
    if (earlier !== undefined) throw bad(`key \`id\` is that of line ${earlier}; write another`);
    lines.set(payload.id, number);
    payloads.push(payload);
  }
  if (payloads.length === 0) throw invalid(file, 1, `there is no line; write ${form}`);
  return {
    attacks: payloads.filter(({ benign }) => benign !== true),
    benign: payloads.filter(({ benign }) => benign === true),
  };
}

type Bad = (what: string) => CaregateError;

function payloadOf(line: string, bad: Bad): Payload {
  const result = lineSchema.safeParse(json(line, bad));
  if (!result.success) throw misfit(result.error, bad);
  const { tool, benign } = result.data;
  const counting = countingTools();
  if (benign !== true && tool !== undefined && !counting.includes(tool)) {
    throw bad(`tool \`${tool}\` has no effect with a destination; write one of ${counting.join(', ')}`);
  }
  return result.data;
}

function json(line: string, bad: Bad): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw bad(`it is not JSON; write ${form}`);
  }
}

function misfit({ issues }: z.ZodError, bad: Bad): CaregateError {
  const [issue] = issues;
  if (issue?.code === 'unrecognized_keys') return bad(`key \`${issue.keys[0]}\` is unknown; write ${form}`);
  const key = String(issue?.path[0] ?? '');
  const advice = takes[key];
  return advice === undefined ? bad(`it is no object; write ${form}`) : bad(`key \`${key}\`: ${advice}`);
}

function invalid(file: string, line: number, what: string): CaregateError {
  return new CaregateError('INVALID_INPUT', `corpus \`${file}\`, line ${line}: ${what}`);
}
