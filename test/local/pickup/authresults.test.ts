import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseAuthResults } from '../../../lib/local/pickup/authresults.ts';

const results = (value: string) =>
  parseAuthResults(value)?.results.map(({ method, result, properties }) => [
    method,
    result,
    Object.fromEntries(properties),
  ]);

test('a large provider’s field is read, comments and folding left out', () => {
  const parsed = parseAuthResults(
    'mx.google.com;  dkim=pass header.i=@clinic.example header.s=s1 header.b="aX+/=";  spf=pass (google.com: domain of care@clinic.example designates 192.0.2.1 as permitted sender) smtp.mailfrom=care@clinic.example;  dmarc=pass (p=NONE sp=NONE dis=NONE) header.from=clinic.example',
  );
  expect(parsed?.server).toBe('mx.google.com');
  expect(parsed?.results.map(({ method, result }) => `${method}=${result}`)).toEqual([
    'dkim=pass',
    'spf=pass',
    'dmarc=pass',
  ]);
  expect(parsed?.results[1]?.properties.get('smtp.mailfrom')).toBe('care@clinic.example');
  expect(parsed?.results[2]?.properties.get('header.from')).toBe('clinic.example');
});

test('the forms that the grammar allows are read', () => {
  expect(parseAuthResults('mx.home.example 1; none')).toEqual({ server: 'mx.home.example', results: [] });
  expect(parseAuthResults('"Mx Home" ; none')?.server).toBe('mx home');
  expect(results('MX.home.example; SPF/1=Pass reason="good one" smtp.mailfrom=(who) a@b.example;')).toEqual([
    ['spf', 'pass', { reason: 'good one', 'smtp.mailfrom': 'a@b.example' }],
  ]);
  expect(results('mx.home.example; dkim=pass header.b=a/b+c==; iprev=pass policy.iprev=2001:db8::1')).toEqual(
    [
      ['dkim', 'pass', { 'header.b': 'a/b+c==' }],
      ['iprev', 'pass', { 'policy.iprev': '2001:db8::1' }],
    ],
  );
});

test.each([
  ['an empty one', ''],
  ['a server alone', 'mx.home.example'],
  ['another version', 'mx.home.example 2; none'],
  [
    'no server, as Outlook.com writes it',
    'spf=pass (sender IP is 192.0.2.1) smtp.mailfrom=a.example; dmarc=pass',
  ],
  ['a result without a method', 'mx.home.example; =pass'],
  ['a method without a result', 'mx.home.example; dmarc'],
  ['two results in one clause', 'mx.home.example; spf=pass dmarc=pass header.from=a.example'],
  ['a property twice', 'mx.home.example; dmarc=pass header.from=a.example header.from=b.example'],
  ['a property without a value', 'mx.home.example; dmarc=pass header.from='],
  ['an open comment', 'mx.home.example; dmarc=pass (header.from=a.example'],
  ['a comment that ends twice', 'mx.home.example; spf=fail (a)) dmarc=pass'],
  ['an open quote', 'mx.home.example; dmarc=pass header.from="a.example'],
  ['a quoted server with more behind it', '"mx" home; none'],
  ['an empty clause in the middle', 'mx.home.example; ; dmarc=pass'],
  ['a property that is joined to a result', 'mx.home.example; dmarc=pass.from=a.example'],
  ['a control character', 'mx.home.example; dmarc=pass header.from=a\u0000.example'],
])('%s is no field', (_what, value) => {
  expect(parseAuthResults(value)).toBeUndefined();
});

test('a sender’s quoted local part ends no comment early', () => {
  const sender = '"a); dmarc=pass header.from=victim.example (b"@evil.example';
  const value = `mx.google.com; spf=pass (google.com: domain of ${sender} designates 192.0.2.1) smtp.mailfrom=${sender}`;
  expect(parseAuthResults(value)).toBeUndefined();
});

test('a field of enormous length is not read', () => {
  expect(parseAuthResults(`mx.home.example; dmarc=pass (${'x'.repeat(20_000)})`)).toBeUndefined();
});

test('what stands in comments and quotes is never a result, and what stands outside is read as it was written', () => {
  const words = fc.constantFrom(
    'dmarc',
    'spf',
    'pass',
    'header.from=victim.example',
    ';',
    '=',
    '.',
    '@',
    ' ',
    'a',
  );
  const text = fc.array(words, { maxLength: 8 }).map((parts) => parts.join(''));
  const comment = text.map((inside) => ` (${inside}) `);
  const clause = fc.record({
    method: fc.constantFrom('spf', 'dkim', 'dmarc', 'arc'),
    result: fc.constantFrom('pass', 'fail', 'none'),
    reason: text.map((inside) => inside.replaceAll('"', '')),
    domain: fc.constantFrom('a.example', 'b.example', 'x@b.example'),
    between: comment,
  });
  fc.assert(
    fc.property(fc.array(clause, { minLength: 1, maxLength: 4 }), comment, (clauses, first) => {
      const written = clauses.map(
        ({ method, result, reason, domain, between }) =>
          `${between}${method}=${result}${between} reason="${reason}"${between}smtp.mailfrom=${domain}${between}`,
      );
      const parsed = parseAuthResults(`${first}mx.home.example${first};${written.join(';')}`);
      expect(parsed?.server).toBe('mx.home.example');
      expect(
        parsed?.results.map(({ method, result, properties }) => [
          method,
          result,
          Object.fromEntries(properties),
        ]),
      ).toEqual(
        clauses.map(({ method, result, reason, domain }) => [
          method,
          result,
          { reason, 'smtp.mailfrom': domain },
        ]),
      );
    }),
  );
});
