import { stringify } from 'yaml';
import { CaregateError } from '../../errors.ts';

/** What a household is asked before it has a circle. */
export interface CircleAnswers {
  /** The name of the person who is cared for. */
  readonly patient: string;
  /** Who decides: the owners of the circle. */
  readonly owners: readonly Named[];
  /** The address that mail is forwarded to. */
  readonly inbox: string;
  readonly timezone: string;
  readonly locale: string;
  /** Clinics, practices and others who may be written to. */
  readonly contacts: readonly Named[];
  /** ISO 4217; by default that of the locale's country. */
  readonly currency?: string | undefined;
}

export interface Named {
  readonly name: string;
  readonly email: string;
}

const euro = 'AT BE CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK'.split(' ');
const others: Readonly<Record<string, string>> = {
  ...{ GB: 'GBP', US: 'USD', CH: 'CHF', CA: 'CAD', AU: 'AUD', NZ: 'NZD', PL: 'PLN', SE: 'SEK', NO: 'NOK' },
  ...{ DK: 'DKK', CZ: 'CZK', HU: 'HUF', RO: 'RON', BG: 'EUR', MX: 'MXN', IN: 'INR', JP: 'JPY', BR: 'BRL' },
  ...{ ZA: 'ZAR', SG: 'SGD', IL: 'ILS', TR: 'TRY', AR: 'ARS', CL: 'CLP', CO: 'COP', KR: 'KRW', HK: 'HKD' },
};

/**
 * The currency of a locale's country.
 * @throws CaregateError `INVALID_INPUT` if it is not known, so that none is guessed
 */
export function currencyOf(locale: string): string {
  const country = locale.slice(3);
  const known = euro.includes(country) ? 'EUR' : others[country];
  if (known !== undefined) return known;
  throw new CaregateError(
    'INVALID_INPUT',
    `the currency for \`${locale}\` is not known; write it behind the language, such as \`USD\`, or give \`--currency\``,
  );
}

const spellings: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', ø: 'o', ł: 'l', đ: 'd', þ: 'th' };

/** An id for a name: its letters without accents, or a number where it has none that an id can have. */
export function idFor(name: string, taken: readonly string[], fallback: string): string {
  const spelled = name.replace(/[ßæøłđþ]/giu, (letter) => spellings[letter.toLowerCase()] ?? letter);
  const plain = spelled.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words =
    plain
      .match(/[a-z0-9]+/g)
      ?.join('-')
      .slice(0, 30)
      .replace(/-$/, '') ?? fallback;
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? words : `${words}-${number}`;
    if (!taken.includes(id)) return id;
  }
}

const value = (text: string): string => stringify(text, { lineWidth: 0 }).trimEnd();

/**
 * The text of a circle's file, with comments for whoever opens it next.
 * @throws CaregateError `INVALID_INPUT` as {@link currencyOf}
 */
export function circleText(answers: CircleAnswers): string {
  const ids: string[] = [];
  const entry = ({ name, email }: Named, fallback: string, more = ''): string => {
    const id = idFor(name, ids, fallback);
    ids.push(id);
    return `  - { id: ${value(id)}, name: ${flow(name)}, email: ${flow(email)}${more} }\n`;
  };
  const people = answers.owners.map((owner) => entry(owner, 'person', ', roles: [owner, caregiver]'));
  const contacts = answers.contacts.map((contact) => entry(contact, 'contact'));
  return `# The circle of this household. What stands here is trusted: only these people are asked, and nothing is sent, filed
# or granted anywhere else. A running office goes by it at once, inbox and senders aside.
id: ${idFor(answers.patient, [], 'household')}-household
patient:
  name: ${value(answers.patient)}
timezone: ${answers.timezone}
locale: ${answers.locale} # decides, among other things, whether 03/04 is in March or in April
currency: ${answers.currency ?? currencyOf(answers.locale)}

# Mail is forwarded to this address.
inbox: ${value(answers.inbox)}
senders:
  notices: ${value(answers.inbox)} # to the people below
  letters: ${value(answers.inbox)} # to the contacts below, after one of the people approved

# Who forwards mail, is asked, and decides. Roles: owner, caregiver, viewer.
people:
${people.join('')}
# Who may be written to, each time with a person's approval.
contacts:${contacts.length === 0 ? ' []' : `\n${contacts.join('').trimEnd()}`}

# Where documents are filed. The names are yours; the ids stay.
folders:
  - { id: appointments, name: Appointments }
  - { id: referrals, name: Referrals }
  - { id: records, name: Records }
  - { id: receipts, name: Receipts and warranties }
  - { id: letters, name: Letters }

calendars:
  - { id: family, name: Family calendar }
`;
}

/** A text inside of braces: always quoted, so that nothing in it ends it. */
const flow = (text: string): string => JSON.stringify(text);
