import { beforeAll, describe, expect, it } from 'vitest';
import { handlerNames } from '../../../lib/stacks/bundles.ts';
import { decide, principalOf } from './deployed.ts';
import { type Estate, readEstate } from './estate.ts';
import { recordJourney } from './journey.ts';
import type { ServiceCall } from './recorder.ts';
import { type Asked, askedBy } from './requests.ts';
import { unusedRights } from './unused.ts';

/** Rights that no undisturbed day takes, and what does. */
const forFailures = [
  { by: 'Lambda itself, as the function', rights: /^[a-z-]+ (?:logs:\w+|sqs:SendMessage) / },
  {
    by: 'the sandbox of SES, which counts recipients as identities',
    rights: /^(?:execute|notify) ses:SendRawEmail /,
  },
  { by: 'a function in a process of its own', rights: /^[a-z-]+ kms:GetPublicKey / },
  { by: 'history that is kept already', rights: /^audit kms:Decrypt / },
  { by: 'a mail above the caps of a day', rights: /^close s3:PutObject .*\/told\// },
  {
    by: 'a person who asks for a new code, later',
    rights: /^decide (?:lambda:InvokeFunction|s3:GetObject .*release-request)/,
  },
  { by: 'a mail for an address of no circle', rights: /^ingest s3:PutObject unassigned/ },
  { by: 'a model that is throttled', rights: /^plan bedrock:InvokeModel .*amazon\.nova-lite/ },
  { by: 'a picture in a mail', rights: /^evidence (?:bedrock:InvokeModel|s3:PutObject .*\/transcripts?\/)/ },
  { by: 'a later round of a case', rights: /^triage s3:GetObject .*\/evidence\// },
  { by: 'a run that began before evidence was read first', rights: /^triage s3:GetObject .*\/mail\.eml/ },
  { by: 'an invitation that changes an appointment', rights: /^evidence s3:GetObject .*\/calendars\// },
  { by: 'a letter that SES refuses', rights: /^execute s3:PutObject .*\/rejected/ },
  { by: 'an effect that nobody knows the end of', rights: /^(?:reconcile|verify) s3:GetObject / },
  { by: 'a run that stopped before there was a case', rights: /^resume s3:GetObject .*\/parked\// },
  { by: 'lost events and decisions that were not carried out', rights: /^sweep / },
  { by: 'pages of what this journey has none of', rights: /^web s3:\w+ (?!.*\/(?:actions|receipts)\/)/ },
] as const;

describe('what the functions do in a household’s first days', () => {
  let estate: Estate;
  let calls: readonly ServiceCall[];
  beforeAll(async () => {
    estate = readEstate();
    calls = await recordJourney();
  }, 240_000);

  const verdictOf = (by: string, asked: Asked) => {
    const role = estate.deployed.functions.get(by);
    if (role === undefined) throw new Error(`\`${by}\` has no role`);
    return decide(estate.deployed, principalOf(role), asked);
  };

  it('is done by every one of them', () => {
    const callers = [...new Set(calls.map(({ by }) => by))].sort();
    expect(callers).toEqual(handlerNames('lambdas'));
  });

  it('is allowed on AWS, call by call, by the synthesized policies', () => {
    const refused = calls.flatMap((call) =>
      askedBy(call, estate.resources)
        .map((asked) => ({ asked, verdict: verdictOf(call.by, asked) }))
        .filter(({ verdict }) => verdict.decision !== 'allowed')
        .map(
          ({ asked, verdict }) =>
            `${call.by} ${asked.action} ${asked.resource}: ${verdict.decision} (${verdict.by})`,
        ),
    );
    expect([...new Set(refused)]).toEqual([]);
    expect(calls.length).toBeGreaterThan(300);
  });

  it('takes every right that is given, but for those that only failures take', () => {
    const used = new Map<string, Asked[]>();
    for (const call of calls) {
      used.set(call.by, [...(used.get(call.by) ?? []), ...askedBy(call, estate.resources)]);
    }
    const untaken = [...estate.deployed.functions.values()].flatMap((role) =>
      unusedRights(role, used.get(role.name) ?? [], estate),
    );
    expect(untaken.filter((right) => !forFailures.some(({ rights }) => rights.test(right)))).toEqual([]);
  });
});
