import { expect, test } from 'vitest';
import { pickupSettings } from '../../../lib/local/pickup/settings.ts';

const url = 'imaps://care%40home.example:50%25%3A%2F@imap.home.example';

test('without an address nothing is picked up', () => {
  expect(pickupSettings({})).toBeUndefined();
  expect(pickupSettings({ CAREGATE_IMAP_URL: '', CAREGATE_IMAP_FOLDER: 'Care' })).toBeUndefined();
});

test('user and password are percent-decoded, and the rest has its defaults', () => {
  expect(pickupSettings({ CAREGATE_IMAP_URL: url })).toEqual({
    host: 'imap.home.example',
    port: 993,
    secure: true,
    local: false,
    user: 'care@home.example',
    password: '50%:/',
    folder: 'INBOX',
    mark: '$Caregate',
    since: 'now',
  });
});

test('a bare @ in the user, a port, STARTTLS and no password are taken', () => {
  expect(pickupSettings({ CAREGATE_IMAP_URL: 'imap://care@home.example:secret@[::1]:1143/' })).toMatchObject({
    host: '::1',
    port: 1143,
    secure: false,
    local: true,
    user: 'care@home.example',
  });
  expect(pickupSettings({ CAREGATE_IMAP_URL: 'imap://care@imap.home.example' })).toMatchObject({
    port: 143,
    local: false,
  });
  expect(pickupSettings({ CAREGATE_IMAP_URL: 'imaps://care@imap.home.example' })).not.toHaveProperty(
    'password',
  );
});

test('folder, mark, move, start, server and circle can be named', () => {
  const settings = pickupSettings({
    CAREGATE_IMAP_URL: url,
    CAREGATE_IMAP_FOLDER: 'Care/Mum’s letters',
    CAREGATE_IMAP_MARK: 'Taken',
    CAREGATE_IMAP_MOVE: 'Care/Done',
    CAREGATE_IMAP_SINCE: '2026-02-28',
    CAREGATE_IMAP_AUTHSERV: 'MX.home.example',
    CAREGATE_IMAP_CIRCLE: 'mum',
  });
  expect(settings).toMatchObject({
    folder: 'Care/Mum’s letters',
    mark: 'Taken',
    moveTo: 'Care/Done',
    since: { day: '2026-02-28' },
    authserv: 'mx.home.example',
    circle: 'mum',
  });
});

test.each([
  ['seen', '\\Seen'],
  ['FLAGGED', '\\Flagged'],
  ['none', undefined],
  ['', '$Caregate'],
])('the mark %s is %s', (mark, flag) => {
  expect(pickupSettings({ CAREGATE_IMAP_URL: url, CAREGATE_IMAP_MARK: mark })?.mark).toBe(flag);
});

test('all that lay there before is taken where that is said', () => {
  expect(pickupSettings({ CAREGATE_IMAP_URL: url, CAREGATE_IMAP_SINCE: 'all' })?.since).toBe('all');
});

test.each<[string, string]>([
  ['CAREGATE_IMAP_URL', 'imap.home.example'],
  ['CAREGATE_IMAP_URL', 'https://care:secret@imap.home.example'],
  ['CAREGATE_IMAP_URL', 'imaps://imap.home.example'],
  ['CAREGATE_IMAP_URL', 'imaps://care:secret@imap.home.example/INBOX'],
  ['CAREGATE_IMAP_URL', 'imaps://care:se#cret@imap.home.example'],
  ['CAREGATE_IMAP_URL', 'imaps://care:50%@imap.home.example'],
  ['CAREGATE_IMAP_URL', 'imaps://care:a%0d%0ab@imap.home.example'],
  ['CAREGATE_IMAP_FOLDER', ' Care'],
  ['CAREGATE_IMAP_FOLDER', 'Care\r\nDone'],
  ['CAREGATE_IMAP_MOVE', 'INBOX'],
  ['CAREGATE_IMAP_MOVE', 'x'.repeat(300)],
  ['CAREGATE_IMAP_MARK', '\\Deleted'],
  ['CAREGATE_IMAP_MARK', 'two words'],
  ['CAREGATE_IMAP_SINCE', 'yesterday'],
  ['CAREGATE_IMAP_SINCE', '2026-02-30'],
  ['CAREGATE_IMAP_AUTHSERV', 'mx home'],
])('%s that cannot be used is refused, and not repeated: %s', (name, value) => {
  const read = () => pickupSettings({ CAREGATE_IMAP_URL: url, [name]: value });
  expect(read).toFailWithCode('CONFIGURATION_INVALID');
  expect(read).toThrow(name);
  expect(read).not.toThrow(/secret|se#cret|50%@/);
});
