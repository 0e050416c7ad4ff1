import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isCaregateError } from '../../lib/errors.ts';
import {
  circleDigest,
  entryByAddress,
  isTrustedEntry,
  loadCircle,
  mayGrant,
  parseCircle,
  trustedEntry,
} from '../../lib/provenance/circle.ts';

const text = readFileSync('rules/circle.example.yaml', 'utf8');
const lines = text.split('\n').length;
const circle = parseCircle(text, 'circle.yaml');
const read = (changed: string) => () => parseCircle(changed, 'circle.yaml');

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return isCaregateError(error) ? error.message : String(error);
  }
  return 'nothing was thrown';
}

describe('a circle', () => {
  it('is read with its defaults, addresses in lower case', () => {
    const other = parseCircle(text.replace('maya@family.example', 'Maya@Family.EXAMPLE'), 'circle.yaml');
    expect(other.people[0]?.email).toBe('maya@family.example');
    expect(other.limits).toMatchObject({
      mailsPerDay: 200,
      openApprovals: 10,
      modelCallsPerMail: 20,
      actionsPerMail: 8,
    });
  });

  it.each([
    ['an empty file', '', 'line 1, column 1'],
    [
      'an unknown key',
      text.replace('patient:', 'cat: 1\npatient:'),
      'line 4, column 1: the key `cat` is unknown',
    ],
    [
      'two people of one id',
      text.replace('id: tom', 'id: maya'),
      'line 19, column 7: the id `maya` is used twice',
    ],
    ['a contact without an address', text.replace(', email: records@hillside-clinic.example', ''), 'line 22'],
    ['two people of one address', text.replace('tom@', 'MAYA@'), 'line 19, column 40'],
    [
      'a person who writes from the inbox',
      text.replace('tom@family', 'CARE@inbox'),
      'line 19, column 40: the address of `tom`',
    ],
    ['a grant to nobody', text.replace('grantee: hillside-records', 'grantee: nobody'), 'line 43, column 7'],
    ['a time zone that there is not', text.replace('Europe/London', 'Europe/Atlantis'), 'line 7, column 1'],
    ['a key that stands twice', `${text}\nlocale: en-GB`, 'map keys must be unique'],
    ['an anchor', text.replace('people: #', 'people: &all #'), 'anchors and aliases are refused'],
    ['an alias', text.replace('name: Rosa Winterbourne', 'name: *rosa'), 'anchors and aliases are refused'],
    ['a tag', text.replace('name: Rosa', 'name: !!str Rosa'), 'tags are refused'],
    ['two documents', `${text}\n---\nid: other`, 'line'],
    ['what is not YAML', 'people: [', 'line 1'],
    ['a list', '- a circle', 'line 1, column 1: the file'],
    ['more actions a mail than there may be', `${text}\nlimits: { actionsPerMail: 9 }`, `line ${lines + 1}`],
  ])('is refused for %s, with line and column', (_, changed, where) => {
    expect(read(changed)).toFailWithCode('CONFIGURATION_INVALID');
    expect(messageOf(read(changed))).toContain(where);
    expect(messageOf(read(changed))).not.toMatch(/@|Rosa|Winterbourne/);
  });

  it('refuses aliases that would unfold for ever, before unfolding them', () => {
    const bomb = Array.from(
      { length: 30 },
      (_, level) => `a${level}: &a${level} [*a${level + 1}, *a${level + 1}]`,
    ).join('\n');
    expect(read(bomb)).toFailWithCode('CONFIGURATION_INVALID');
  });

  it('is refused if its file cannot be read', () => {
    expect(() => loadCircle('rules/no-such-circle.yaml')).toFailWithCode('CONFIGURATION_INVALID');
    expect(loadCircle('rules/circle.example.yaml').id).toBe('example-household');
  });

  it('has another digest when anything in it changes', () => {
    const other = parseCircle(text.replace('records@hillside', 'archive@hillside'), 'circle.yaml');
    expect(circleDigest(other)).not.toBe(circleDigest(circle));
    expect(circleDigest(parseCircle(`# a remark\n${text}`, 'circle.yaml'))).toBe(circleDigest(circle));
  });
});

describe('an entry of the circle', () => {
  it('is known by where it came from, not by how it looks', () => {
    const entry = trustedEntry(circle, 'contacts', 'hillside-records');
    expect(isTrustedEntry(entry)).toBe(true);
    expect(isTrustedEntry({ ...entry })).toBe(false);
    expect(isTrustedEntry(structuredClone(entry))).toBe(false);
    expect(isTrustedEntry('hillside-records')).toBe(false);
    expect(isTrustedEntry(null)).toBe(false);
  });

  it('cannot be changed', () => {
    const entry = trustedEntry(circle, 'contacts', 'hillside-records');
    expect(() => Object.assign(entry ?? {}, { email: 'attacker@elsewhere.example' })).toThrow(TypeError);
  });

  it('is not found under another id or in another list', () => {
    expect(trustedEntry(circle, 'contacts', 'nobody')).toBeUndefined();
    expect(trustedEntry(circle, 'folders', 'hillside-records')).toBeUndefined();
    expect(trustedEntry(circle, 'contacts', '__proto__')).toBeUndefined();
  });

  it('is found by its own address alone', () => {
    expect(entryByAddress(circle, 'contacts', 'Records@Hillside-Clinic.EXAMPLE')?.id).toBe(
      'hillside-records',
    );
    expect(entryByAddress(circle, 'people', 'records@hillside-clinic.example')).toBeUndefined();
    expect(entryByAddress(circle, 'folders', 'records')).toBeUndefined();
  });

  it.each([
    'Hillside <records@hillside-clinic.example>',
    '<records@hillside-clinic.example>',
    'records+rosa@hillside-clinic.example',
    'records@hillside-clinic.example, other@elsewhere.example',
    'records@hillside-clinic.example other@elsewhere.example',
    ' records@hillside-clinic.example',
    'records@hillside-clinic.example\n',
    'records@hillside-clinic.example.',
    'records@mail.hillside-clinic.example',
    'rec\u200bords@hillside-clinic.example',
    'reсords@hillside-clinic.example',
    'ｒecords@hillside-clinic.example',
    'records@hillside\u2010clinic.example',
    'mailto:records@hillside-clinic.example',
    '"records"@hillside-clinic.example',
    'records(comment)@hillside-clinic.example',
    'hillside-records',
    '',
  ])('is not found by %j', (literal) => {
    expect(entryByAddress(circle, 'contacts', literal)).toBeUndefined();
  });

  it('is not found through a sign that lower-cases to a letter', () => {
    const kelvin = parseCircle(text.replace('records@hillside', 'kate@hillside'), 'circle.yaml');
    expect(entryByAddress(kelvin, 'contacts', 'kate@hillside-clinic.example')?.id).toBe('hillside-records');
    expect(entryByAddress(kelvin, 'contacts', '\u212aate@hillside-clinic.example')).toBeUndefined();
  });
});

describe('a role', () => {
  it('may be granted only as a listed pair', () => {
    expect(mayGrant(circle, 'hillside-records', 'document-reader')).toBe(true);
    expect(mayGrant(circle, 'northgate-cardiology', 'document-reader')).toBe(false);
    expect(mayGrant(circle, 'hillside-records', 'owner')).toBe(false);
    expect(mayGrant(circle, 'hillside-records', 'Document-Reader')).toBe(false);
  });
});
