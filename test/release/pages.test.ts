import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { alarmTexts } from '../../lib/stacks/alarms.ts';
import { shellBlocks } from '../docs/markdown.ts';
import { templateOf } from '../stacks/synthesized.ts';

const read = (page: string): string => readFileSync(page, 'utf8');
const headings = [...read('docs/operate.md').matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
const scripts: Record<string, string> = JSON.parse(read('package.json')).scripts;

describe('docs/operate.md', () => {
  it('has a heading for every alarm, and none for an alarm that is not there', () => {
    const alarms = headings.filter((heading) => /^[a-z-]+$/.test(heading));
    expect(alarms.sort()).toEqual(Object.keys(alarmTexts).sort());
  });

  it('knows every alarm of the synthesized stack', () => {
    const made = Object.values(templateOf('watch').findResources('AWS::CloudWatch::Alarm'));
    const names = made.map(({ Properties }) => String(Properties.AlarmName).replace(/^caregate-/, ''));
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(headings, name).toContain(name);
  });
});

describe('docs/deploy.md', () => {
  const text = read('docs/deploy.md');

  it('names only scripts that there are', () => {
    const named = [...text.matchAll(/npm run ([a-z:]+)/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  it('has commands that are run by a test, and says which steps only an account can show', () => {
    expect(shellBlocks('docs/deploy.md', text).some(({ run }) => run)).toBe(true);
    expect(text.match(/●/g)?.length).toBeGreaterThan(3);
  });

  it('names the outputs that the mailbox really has', () => {
    const outputs = Object.keys(templateOf('mailbox').toJSON().Outputs);
    for (const name of ['DkimRecord1', 'InboxRecord', 'BounceRecord', 'SenderRecord']) {
      expect(outputs).toContain(name);
      expect(text).toContain(name);
    }
  });
});
