import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../lib/cli/program.ts';
import { caregate, freshData } from '../support/office.ts';

const folder = mkdtempSync(join(tmpdir(), 'caregate-commands-'));

function callFile(name: string, call: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(call));
  return path;
}

const letter = { subject: { value: 'Records' }, body: { value: 'As you asked.' } };

describe('caregate gate', () => {
  it('denies what goes to somewhere that is not of the circle, and touches nothing', async () => {
    const data = freshData();
    const call = callFile('attack.json', {
      tool: 'send_email',
      arguments: { ...letter, to: { literal: 'intake@claims.example' } },
    });
    const ran = await caregate(['gate', call, '--json', '--data', data]);
    expect(ran.code).toBe(0);
    expect(ran.objects[0]).toMatchObject({ outcome: 'DENY', reason: 'DESTINATION_NOT_TRUSTED' });
    expect(existsSync(data)).toBe(false);
  });

  it('asks for a person where a letter goes to a contact', async () => {
    const call = callFile('letter.json', {
      tool: 'send_email',
      arguments: { ...letter, to: { entry: 'hillside-records' } },
    });
    const ran = await caregate(['gate', call, '--data', freshData()]);
    expect(ran.stdout).toMatch(/^REQUIRE_HUMAN {2}LEAVES_THE_HOUSEHOLD/);
    expect(ran.stdout).toContain('consent  1 of owner or caregiver');
  });

  it('names a file that holds no call', async () => {
    const call = callFile('nothing.json', { tool: 'send_email' });
    const ran = await caregate(['gate', call]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('nothing.json');
  });
});

describe('caregate doctor', () => {
  it('says what is configured, and that the example is not one’s own circle', async () => {
    const ran = await caregate(['doctor', '--data', freshData(), '--json']);
    expect(ran.code).toBe(0);
    const health = Object.fromEntries(ran.objects.map(({ check, health: found }) => [check, found]));
    expect(health).toMatchObject({
      runtime: 'ok',
      data: 'ok',
      circle: 'note',
      rules: 'ok',
      office: 'note',
      model: 'note',
    });
  });

  it('fails where a model server does not answer', async () => {
    const ran = await caregate(['doctor', '--data', freshData()], {
      env: { CAREGATE_MODEL_URL: 'http://127.0.0.1:9' },
    });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/^model {4}wrong/m);
  });
});

describe('every command', () => {
  it('has help and --json', () => {
    const { commands } = buildProgram();
    expect(commands.length).toBeGreaterThanOrEqual(12);
    for (const command of commands.flatMap((each) => [
      ...(each.commands.length > 0 ? each.commands : [each]),
    ])) {
      expect(command.description(), command.name()).not.toBe('');
      expect(command.helpInformation(), command.name()).toContain('--json');
    }
  });

  it('is listed by --help, and the program has a version', async () => {
    const help = await caregate(['--help']);
    expect(help.code).toBe(0);
    expect(help.stdout).toContain('audit [options] [case]');
    expect((await caregate(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
