import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { askQuestions } from '../../lib/cli/init.ts';
import { readChanges } from '../../lib/local/circle/changes.ts';
import { loadCircle } from '../../lib/provenance/circle.ts';
import { caregate, freshData } from '../support/office.ts';

const given = [
  ...['--patient', 'Rosa Winterbourne', '--owner', 'Maya <maya@home.example>'],
  ...['--inbox', 'care@home.example', '--zone', 'Europe/London', '--locale', 'en-GB'],
  ...['--contacts', 'Hillside <info@hillside.example>, Northgate <hello@northgate.example>'],
];

describe('caregate init', () => {
  it('makes the circle from options, and never writes over one', async () => {
    const data = freshData();
    const made = await caregate(['init', ...given, '--data', data, '--json']);
    expect(made.code).toBe(0);
    const circle = loadCircle(join(data, 'circle.yaml'));
    expect(circle.contacts.map(({ id }) => id)).toEqual(['hillside', 'northgate']);
    expect(readChanges(join(data, 'circle-changes.jsonl'))).toMatchObject([{ change: 'made' }]);

    const again = await caregate(['init', ...given, '--data', data]);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('is there already');
  });

  it.each([
    ['who is cared for', ['--inbox', 'care@home.example'], '--patient'],
    ['an address', [...given, '--inbox', 'care'], '--inbox'],
    ['a time zone', [...given, '--zone', 'Europe/Nowhere'], '--zone'],
    ['anybody who decides', [...given, '--owner', ' '], '--owner'],
    ['an address that a circle takes', [...given, '--owner', 'Maya <maya@home>'], '--owner'],
    ['an address for each', [...given, '--owner', 'M <m@home.example>, T <m@home.example>'], '--owner'],
    ['an inbox that is nobody’s own mailbox', [...given, '--inbox', 'maya@home.example'], '--inbox'],
    ['a name on one line', [...given, '--patient', 'Rosa\nRosa'], '--patient'],
    ['a known currency', [...given, '--locale', 'uk-UA'], '--currency'],
  ])('without %s says which option to give', async (_name, options, named) => {
    const ran = await caregate(['init', ...options, '--data', freshData()]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(`\`${named}\``);
  });

  it.each(['Asia/Kolkata', 'Asia/Calcutta', 'Europe/Kyiv', 'UTC'])('takes the time zone %s', async (zone) => {
    const data = freshData();
    expect((await caregate(['init', ...given, '--zone', zone, '--data', data])).code).toBe(0);
    expect(loadCircle(join(data, 'circle.yaml')).timezone).toBe(zone);
  });

  it('asks on a terminal, and asks again what was no answer', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const terminal = createInterface({ input, output });
    const answers = [
      'Rosa',
      'maya',
      'Maya <maya@home.example>',
      'care@home.example',
      'Europe/Paris fr-FR',
      '',
    ];
    output.on('data', (text: Buffer) => {
      if (text.toString().endsWith(': ')) input.write(`${answers.shift()}\n`);
    });
    const asked = await askQuestions({ data: 'unused' }, terminal);
    terminal.close();
    expect(asked).toEqual({
      patient: 'Rosa',
      owners: [{ name: 'Maya', email: 'maya@home.example' }],
      inbox: 'care@home.example',
      timezone: 'Europe/Paris',
      locale: 'fr-FR',
      currency: 'EUR',
      contacts: [],
    });
  });
});

describe('caregate contact and person', () => {
  it('give nobody the id of somebody before, whose links and addresses name it', async () => {
    const data = freshData();
    await caregate(['init', ...given, '--data', data]);
    await caregate(['person', 'add', 'Anna <anna@old.example>', '--data', data]);
    await caregate(['person', 'remove', 'anna', '--data', data]);
    const other = ['person', 'add', 'Anna <anna@new.example>', '--data', data, '--json'];
    const named = await caregate([...other, '--id', 'anna']);
    expect([named.code, named.stderr]).toEqual([2, expect.stringContaining('`--id anna`')]);
    const added = await caregate(other);
    expect(JSON.parse(added.stdout)).toMatchObject({ id: 'anna-2' });
  });

  it('add, list and remove, and record each change', async () => {
    const data = freshData();
    await caregate(['init', ...given, '--data', data]);
    const added = await caregate([
      'contact',
      'add',
      'Pharmacy <p@pharmacy.example>',
      '--data',
      data,
      '--json',
    ]);
    expect(added.objects).toMatchObject([{ change: 'added', list: 'contacts', id: 'pharmacy', void: [] }]);
    const person = ['person', 'add', 'Tom <tom@home.example>', '--role', 'viewer', '--data', data];
    expect((await caregate(person)).code).toBe(0);
    expect((await caregate(['person', 'list', '--data', data])).stdout).toMatch(
      /^tom +Tom +tom@home\.example +viewer$/m,
    );
    expect((await caregate(['contact', 'remove', 'northgate', '--data', data])).code).toBe(0);
    const changes = readChanges(join(data, 'circle-changes.jsonl')).map(({ change, id }) => [change, id]);
    expect(changes).toEqual([
      ['made', undefined],
      ['added', 'pharmacy'],
      ['added', 'tom'],
      ['removed', 'northgate'],
    ]);
    expect(readFileSync(join(data, 'circle.yaml'), 'utf8')).toContain('# Who may be written to');
  });

  it.each([
    [['person', 'remove', 'maya'], 'only owner'],
    [['contact', 'remove', 'nobody'], '`nobody`'],
    [['contact', 'add', 'Nobody'], '`--contact`'],
    [['contact', 'add', 'A <a@b.example>, C <c@d.example>'], 'one at a time'],
    [['person', 'add', 'Tom <tom@home.example>', '--role', 'king'], 'line'],
  ])('refuse %j and say why', async (command, why) => {
    const data = freshData();
    await caregate(['init', ...given, '--data', data]);
    const ran = await caregate([...command, '--data', data]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(why);
  });

  it('change nothing where there is no circle yet', async () => {
    const ran = await caregate(['contact', 'add', 'A <a@b.example>', '--data', freshData()]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('caregate init');
  });
});
