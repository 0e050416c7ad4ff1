import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { loadSettings } from '../../../lib/cli/settingsfile.ts';
import { type ServiceOptions, serviceFile, serviceManagers } from '../../../lib/local/service/service.ts';
import { systemdWord } from '../../../lib/local/service/systemd.ts';
import { temporaryDirectory } from '../../support/endpoints.ts';

const options: ServiceOptions = {
  node: '/opt/my node/bin/node',
  program: '/srv/care "gate" 100%/bin/caregate.js',
  workingDirectory: '/srv/care "gate" 100%',
  data: '/people/maya/$data & <more>',
  home: '/people/maya',
};

/** Reads a command line as systemd.service(5) says that it is read. */
function wordsOf(line: string): string[] {
  const words = [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = '']) => word);
  return words.map((word) => word.replace(/\\(.)/g, '$1').replaceAll('%%', '%').replaceAll('$$', '$'));
}

describe('a systemd unit', () => {
  it('starts the office by paths with spaces, quotes, percent and dollar signs', () => {
    const { content } = serviceFile('systemd', options);
    const [, line = ''] = /^ExecStart=(.*)$/m.exec(content) ?? [];
    expect(wordsOf(line)).toEqual([options.node, options.program, 'start', '--data', options.data]);
  });

  it('may write a data directory that its first command makes', async () => {
    const data = join(await temporaryDirectory(), "maya's $(data) 100%");
    for (const manager of ['systemd', 'launchd'] as const) {
      const { install } = serviceFile(manager, { ...options, data });
      expect(spawnSync('sh', ['-c', install[0] ?? 'false']).status).toBe(0);
      expect(statSync(data).mode & 0o777).toBe(0o700);
      rmSync(data, { recursive: true });
    }
  });

  it('has words that are read as they were meant, whatever is in them', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }), (words) => {
        expect(wordsOf(words.map(systemdWord).join(' '))).toEqual(words);
      }),
    );
  });

  const analyze = spawnSync('systemd-analyze', ['--version']).status === 0;
  it.skipIf(!analyze)(
    'is one that systemd finds nothing wrong with (skipped without systemd-analyze)',
    async () => {
      const folder = await temporaryDirectory();
      const { content } = serviceFile('systemd', {
        ...options,
        node: process.execPath,
        workingDirectory: folder,
      });
      const file = join(folder, 'caregate.service');
      writeFileSync(file, content);
      const environment = { ...process.env, XDG_RUNTIME_DIR: folder };
      const run = spawnSync('systemd-analyze', ['--user', 'verify', file], {
        encoding: 'utf8',
        env: environment,
      });
      expect([run.status, run.stderr]).toEqual([0, '']);
    },
  );
});

describe('a launchd agent', () => {
  it('is well formed, and starts the office by the same words', () => {
    const { content } = serviceFile('launchd', options);
    expect(XMLValidator.validate(content)).toBe(true);
    const parsed = new XMLParser().parse(content);
    const words = [options.node, options.program, 'start', '--data', options.data];
    expect(parsed.plist.dict.array.string).toEqual(words);
  });
});

describe.each(Object.keys(serviceManagers) as (keyof typeof serviceManagers)[])(
  'a service of %s',
  (manager) => {
    it('with a line break in a path is refused', () => {
      const bad = () => serviceFile(manager, { ...options, data: '/people/maya\nExecStartPre=/bin/false' });
      expect(bad).toFailWithCode('INVALID_INPUT');
    });
  },
);

describe('the settings of a household', () => {
  it('are taken from its data directory, behind what the environment says', async () => {
    const data = await temporaryDirectory();
    writeFileSync(join(data, 'settings.env'), '# ours\nCAREGATE_SENDING=off\nCAREGATE_MODEL_NAME="a b"\n');
    const environment: NodeJS.ProcessEnv = { CAREGATE_SENDING: 'on' };
    loadSettings(data, environment);
    expect(environment).toEqual({ CAREGATE_SENDING: 'on', CAREGATE_MODEL_NAME: 'a b' });
  });

  it('may be absent, and set nothing but ours', async () => {
    const data = await temporaryDirectory();
    loadSettings(data, {});
    writeFileSync(join(data, 'settings.env'), 'NODE_OPTIONS=--require=/tmp/evil.js\n');
    expect(() => loadSettings(data, {})).toFailWithCode('CONFIGURATION_INVALID');
  });

  it('that cannot be read are refused', async () => {
    const data = await temporaryDirectory();
    mkdirSync(join(data, 'settings.env'));
    expect(() => loadSettings(data, {})).toFailWithCode('CONFIGURATION_INVALID');
  });
});
