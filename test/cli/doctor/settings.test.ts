import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { settingsFindings } from '../../../lib/cli/doctor/settings.ts';
import { temporaryDirectory } from '../../support/endpoints.ts';

it('settings that others may read are wrong, and what they hold is not repeated', async () => {
  const data = await temporaryDirectory();
  expect(await settingsFindings(data)).toEqual([]);
  const file = join(data, 'settings.env');
  writeFileSync(file, 'CAREGATE_SMTP_URL=smtps://maya:secret@smtp.home.example\n', { mode: 0o640 });
  chmodSync(file, 0o640);
  expect(await settingsFindings(data)).toEqual([
    {
      check: 'settings',
      health: 'wrong',
      says: `1 in ${file}, which others may read: say \`chmod 600 ${file}\``,
    },
  ]);
  chmodSync(file, 0o600);
  expect(await settingsFindings(data)).toEqual([{ check: 'settings', health: 'ok', says: `1 in ${file}` }]);
});

it('settings that cannot be read are wrong', async () => {
  const data = await temporaryDirectory();
  mkdirSync(join(data, 'settings.env'));
  expect(await settingsFindings(data)).toMatchObject([{ check: 'settings', health: 'wrong' }]);
});
