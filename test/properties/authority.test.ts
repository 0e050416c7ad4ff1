import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { decide } from '../../lib/policy/decide.ts';
import { domain } from '../../lib/policy/domain.ts';
import { matchedRules } from '../../lib/policy/gate.ts';
import type { AbstractRequest } from '../../lib/policy/request.ts';
import { compilePolicy, shippedEngine } from '../../lib/policy/rules.ts';
import { compileConstitution } from '../../lib/policy/textrules.ts';
import { catalogue } from '../../lib/proposal/catalogue.ts';
import { trustLevels } from '../../lib/provenance/trust.ts';
import { anyMatches, anyRequest, permissiveness, policyText } from '../policy/policies.ts';
import { now, shippedPolicy, shippedSources, silent } from '../policy/shipped.ts';

const rulingOn = (request: AbstractRequest) => decide(matchedRules(shippedPolicy, request));
const weight = (matched: Parameters<typeof decide>[0]) => permissiveness(decide(matched).outcome);

describe('theorems of the kernel', () => {
  it('what no rule allows is denied', () => {
    expect(decide([])).toEqual({ outcome: 'DENY', reason: 'NO_RULE_ALLOWS', deciding: [] });
    fc.assert(
      fc.property(anyMatches, (matched) => {
        const allows = matched.some((rule) => rule.decision === 'ALLOW');
        const asks = matched.some((rule) => rule.decision === 'REQUIRE_HUMAN');
        if (!allows && !asks) expect(decide(matched).outcome).toBe('DENY');
      }),
    );
  });

  it('deny trumps allow, and asking trumps allow', () => {
    fc.assert(
      fc.property(anyMatches, (matched) => {
        const has = (outcome: string) => matched.some((rule) => rule.decision === outcome);
        const { outcome } = decide(matched);
        if (has('DENY')) expect(outcome).toBe('DENY');
        else if (has('REQUIRE_HUMAN')) expect(outcome).not.toBe('ALLOW');
        else expect(outcome).toBe(has('ALLOW') ? 'ALLOW' : 'DENY');
      }),
    );
  });

  it('order and duplicates do not matter', () => {
    const shuffled = anyMatches.chain((matched) =>
      fc.tuple(
        fc.constant(matched),
        fc.shuffledSubarray([...matched, ...matched], { minLength: matched.length * 2 }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([matched, other]) => {
        const { deciding, consent, ...one } = decide(matched);
        const { deciding: again, consent: asked, ...two } = decide(other);
        expect(two).toEqual(one);
        expect(new Set(again)).toEqual(new Set(deciding));
        expect(asked?.people).toBe(consent?.people);
        expect(new Set(asked?.roles)).toEqual(new Set(consent?.roles));
      }),
    );
  });

  it('adding a denial never unlocks, and adding a question never allows more', () => {
    fc.assert(
      fc.property(anyMatches, anyMatches, (matched, more) => {
        const denials = more.filter((rule) => rule.decision === 'DENY');
        expect(weight([...matched, ...denials])).toBeLessThanOrEqual(weight(matched));
        const questions = more.filter((rule) => rule.decision === 'REQUIRE_HUMAN');
        if (weight(matched) > 0)
          expect(weight([...matched, ...questions])).toBeLessThanOrEqual(weight(matched));
        else if (matched.some((rule) => rule.decision === 'DENY'))
          expect(weight([...matched, ...questions])).toBe(0);
      }),
    );
  });

  it('more rules never ask fewer people, nor people whom one of them would not ask', () => {
    fc.assert(
      fc.property(anyMatches, (matched) => {
        const { outcome, consent } = decide(matched);
        const asking = matched.flatMap((rule) => (rule.consent === undefined ? [] : [rule.consent]));
        if (outcome !== 'REQUIRE_HUMAN') return;
        expect(consent?.people).toBe(Math.max(...asking.map((one) => one.people)));
        for (const role of consent?.roles ?? [])
          expect(asking.every((one) => one.roles.includes(role))).toBe(true);
      }),
    );
  });

  it('the result names exactly the rules that decide', () => {
    fc.assert(
      fc.property(anyMatches, (matched) => {
        const { outcome, deciding, reason } = decide(matched);
        if (reason === 'NO_RULE_ALLOWS' && deciding.length === 0) return;
        const kind =
          reason === 'NOBODY_ENTITLED' &&
          outcome === 'DENY' &&
          !matched.some((rule) => rule.decision === 'DENY')
            ? 'REQUIRE_HUMAN'
            : outcome;
        expect(deciding).toEqual(matched.filter((rule) => rule.decision === kind).map((rule) => rule.id));
      }),
    );
  });
});

describe('theorems of the shipped policy, over the whole abstract domain', () => {
  const limit = shippedSources.circle.limits.actionsPerMail;
  const conditions = [{ action: { above: 'limit' as const } }];
  const whole = () => domain({ catalogue, conditions, limit, whole: true });

  /** The first member of the domain that breaks an invariant: one assertion instead of one for each member. */
  function exception(invariant: (request: AbstractRequest) => boolean): AbstractRequest | undefined {
    for (const request of whole()) if (!invariant(request)) return request;
    return undefined;
  }

  it('a DESTINATION or AUTHORITY below TRUSTED is denied, whatever else holds', () => {
    const untrusted = (request: AbstractRequest) =>
      request.arguments.some((argument) => argument.class !== 'VALUE' && argument.trust !== 'TRUSTED');
    expect(
      exception((request) => !untrusted(request) || rulingOn(request).outcome === 'DENY'),
    ).toBeUndefined();
  });

  it('lower trust never decides more', () => {
    const monotone = (request: AbstractRequest) => {
      const before = permissiveness(rulingOn(request).outcome);
      return request.arguments.every((argument, index) => {
        const lower = trustLevels[trustLevels.indexOf(argument.trust) - 1];
        if (lower === undefined) return true;
        const lowered = request.arguments.with(index, { ...argument, trust: lower });
        return permissiveness(rulingOn({ ...request, arguments: lowered }).outcome) <= before;
      });
    };
    expect(exception(monotone)).toBeUndefined();
  });

  it('clinical content and emergencies start nothing outside', () => {
    const ours = (request: AbstractRequest) =>
      request.category !== 'clinical' && request.category !== 'emergency';
    expect(
      exception((request) => ours(request) || !request.effect || rulingOn(request).outcome === 'DENY'),
    ).toBeUndefined();
  });

  it('nothing that has an effect follows the last action', () => {
    const without = ['ask_person', 'no_further_action'];
    expect(
      exception(
        (request) =>
          request.action <= limit || without.includes(request.tool) || rulingOn(request).outcome === 'DENY',
      ),
    ).toBeUndefined();
  });

  it('nothing leaves the household, changes an appointment or gives access without a person', () => {
    const alone = ['file_document', 'add_appointment', 'stage_items', 'ask_person', 'no_further_action'];
    expect(
      exception((request) => rulingOn(request).outcome !== 'ALLOW' || alone.includes(request.tool)),
    ).toBeUndefined();
  });

  it('no appointment with an unchecked date is added without a person', () => {
    const unchecked = (request: AbstractRequest) =>
      request.arguments.some((argument) => argument.form === 'time' && argument.trust === 'UNTRUSTED');
    const invariant = (request: AbstractRequest) =>
      request.tool !== 'add_appointment' || !unchecked(request) || rulingOn(request).outcome !== 'ALLOW';
    expect(exception(invariant)).toBeUndefined();
  });

  it('whether the sender is a person or a contact of the circle makes no difference', () => {
    const other = { accepted: 'contact', contact: 'accepted' } as const;
    const invariant = (request: AbstractRequest) =>
      rulingOn(request).outcome === rulingOn({ ...request, standing: other[request.standing] }).outcome;
    expect(exception(invariant)).toBeUndefined();
  });

  it('a person is asked for every such decision, and the owner for access', () => {
    const invariant = (request: AbstractRequest) => {
      const { outcome, consent } = rulingOn(request);
      if (outcome !== 'REQUIRE_HUMAN') return consent === undefined;
      const roles = request.tool === 'grant_access' ? 'owner' : 'owner,caregiver';
      return consent?.people === 1 && consent.roles.join() === roles;
    };
    expect(exception(invariant)).toBeUndefined();
  });
});

describe('theorems of any policy', () => {
  it('the order of the rules in the file makes no difference', () => {
    fc.assert(
      fc.property(policyText, fc.array(anyRequest, { minLength: 1, maxLength: 5 }), (text, requests) => {
        const { rules } = parse(text) as { rules: unknown[] };
        const reversed = stringify({ version: 1, rules: rules.toReversed() });
        const [one, other] = [text, reversed].map((policy) =>
          compilePolicy(
            { ...shippedSources, policy, constitution: silent },
            { ...shippedEngine, lint: 'off' },
          ),
        );
        if (one === undefined || other === undefined) throw new TypeError('two policies were compiled');
        for (const request of requests) {
          expect(decide(matchedRules(other, request))).toEqual(decide(matchedRules(one, request)));
        }
      }),
    );
  });

  it('adding a rule to a constitution can only make a decision stricter', () => {
    const words = ['letter', 'clinic', 'record', 'today', 'rosa'];
    const rule = fc.record({
      severity: fc.constantFrom('critical', 'medium', 'low'),
      keywords: fc.subarray(words, { minLength: 1 }),
      workflow_action: fc.option(
        fc.constantFrom('block', 'require_human_review', 'escalate_to_senior', 'halt_and_alert'),
      ),
    });
    const compiled = (rules: (typeof rule extends fc.Arbitrary<infer T> ? T : never)[]) =>
      compileConstitution(
        stringify({
          version: 1,
          name: 'drawn',
          rules: rules.map(({ workflow_action: action, ...rest }, index) => ({
            id: `R-${index}`,
            text: 'drawn',
            ...rest,
            ...(action === null ? {} : { workflow_action: action }),
          })),
        }),
        catalogue,
      );
    const context = { tool: 'send_email', category: 'other', standing: 'accepted', now };
    const allowing = { id: 'allowing', decision: 'ALLOW', reason: 'HOUSEHOLD_RULE', rank: 0 } as const;
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 5 }), rule, fc.subarray(words), (rules, added, text) => {
        const before = compiled(rules).evaluate(text.join(' '), context);
        const after = compiled([...rules, added]).evaluate(text.join(' '), context);
        expect(weight([allowing, ...after.matched])).toBeLessThanOrEqual(
          weight([allowing, ...before.matched]),
        );
        expect(after.ids).toEqual(expect.arrayContaining([...before.ids]));
        expect(after.alert || !before.alert).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});
