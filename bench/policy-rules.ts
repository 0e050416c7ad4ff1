import { stringify } from 'yaml';

/** What all engines see of a request: nine attributes. */
export interface FlatRequest {
  readonly tool: string;
  readonly category: string;
  readonly standing: string;
  readonly action: number;
  readonly documents: number;
  readonly amount: number;
  /** The lowest trust among the arguments of a kind, or `none` if there is none. */
  readonly times: string;
  readonly destination: string;
  readonly authority: string;
}

type Condition =
  | { readonly attribute: keyof FlatRequest; readonly among: readonly string[] }
  | { readonly attribute: 'action' | 'documents' | 'amount'; readonly above: number };

export interface FlatRule {
  readonly id: string;
  readonly decision: 'DENY' | 'REQUIRE_HUMAN' | 'ALLOW';
  readonly when: readonly Condition[];
}

const tool = (...among: string[]): Condition => ({ attribute: 'tool', among });
const effects = tool(
  'file_document',
  'add_appointment',
  'change_appointment',
  'cancel_appointment',
  'send_email',
  'upload_to_portal',
  'grant_access',
  'book_appointment',
  'stage_items',
);
const low = ['UNTRUSTED', 'CONTROLLED'];
const rule = (id: string, decision: FlatRule['decision'], ...when: Condition[]): FlatRule => ({
  id,
  decision,
  when,
});

/** Twenty rules: those that are shipped, and six that a careful household might add. */
export const rules: readonly FlatRule[] = [
  rule('destination', 'DENY', { attribute: 'destination', among: low }),
  rule('authority', 'DENY', { attribute: 'authority', among: low }),
  rule('clinical', 'DENY', { attribute: 'category', among: ['clinical', 'emergency'] }, effects),
  rule('bounded', 'DENY', { attribute: 'action', above: 8 }),
  rule('bulky', 'DENY', tool('send_email'), { attribute: 'documents', above: 5 }),
  rule('contacts-upload', 'DENY', tool('upload_to_portal'), { attribute: 'standing', among: ['contact'] }),
  rule('bills-by-mail', 'DENY', tool('book_appointment'), {
    attribute: 'category',
    among: ['bill', 'receipt'],
  }),
  rule('dates', 'REQUIRE_HUMAN', tool('add_appointment'), { attribute: 'times', among: ['UNTRUSTED'] }),
  rule('changes', 'REQUIRE_HUMAN', tool('change_appointment', 'cancel_appointment')),
  rule('letters', 'REQUIRE_HUMAN', tool('send_email')),
  rule('uploads', 'REQUIRE_HUMAN', tool('upload_to_portal')),
  rule('bookings', 'REQUIRE_HUMAN', tool('book_appointment')),
  rule('access', 'REQUIRE_HUMAN', tool('grant_access')),
  rule('dear', 'REQUIRE_HUMAN', tool('stage_items'), { attribute: 'amount', above: 100_000 }),
  rule(
    'contacts-forms',
    'REQUIRE_HUMAN',
    { attribute: 'category', among: ['form'] },
    { attribute: 'standing', among: ['contact'] },
    tool('file_document', 'stage_items'),
  ),
  rule('late', 'REQUIRE_HUMAN', { attribute: 'action', above: 6 }, tool('file_document', 'add_appointment')),
  rule('filing', 'ALLOW', tool('file_document')),
  rule('checked', 'ALLOW', tool('add_appointment'), { attribute: 'times', among: ['CONTROLLED'] }),
  rule('staging', 'ALLOW', tool('stage_items')),
  rule('no-effect', 'ALLOW', tool('ask_person', 'no_further_action')),
];

/** In our own language. */
export function ownPolicy(): string {
  const consent = { people: 1, roles: ['owner', 'caregiver'] };
  const written = rules.map(({ id, decision, when }) => ({
    id,
    decision,
    reason: 'HOUSEHOLD_RULE',
    because: 'it is measured',
    when: Object.assign({}, ...when.map(ownCondition)),
    ...(decision === 'REQUIRE_HUMAN' ? { consent } : {}),
  }));
  return stringify({ version: 1, rules: written }, { aliasDuplicateObjects: false });
}

function ownCondition(condition: Condition): Record<string, unknown> {
  if ('above' in condition) return { [condition.attribute]: { above: condition.above } };
  const { attribute, among } = condition;
  if (attribute === 'destination') return { some: { class: 'DESTINATION', below: 'TRUSTED' } };
  if (attribute === 'authority') return { some: { class: 'AUTHORITY', below: 'TRUSTED' } };
  if (attribute !== 'times') return { [attribute]: among };
  return among.includes('UNTRUSTED')
    ? { some: { form: 'time', below: 'CONTROLLED' } }
    : { all: { form: 'time', atLeast: 'CONTROLLED' } };
}

/** In Cedar's: what asks is a permit whose id says so, and a forbid outweighs both. */
export function cedarPolicies(): Record<string, string> {
  const text = ({ decision, when }: FlatRule) => {
    const effect = decision === 'DENY' ? 'forbid' : 'permit';
    const tests = when.map((condition) =>
      'above' in condition
        ? `context.${condition.attribute} > ${condition.above}`
        : `[${condition.among.map((value) => JSON.stringify(value)).join(', ')}].contains(context.${condition.attribute})`,
    );
    return `${effect}(principal, action, resource) when { ${tests.join(' && ')} };`;
  };
  return Object.fromEntries(rules.map((one) => [`${one.decision}/${one.id}`, text(one)]));
}

/** In casbin's: an expression to evaluate for each rule, in order of precedence, of which the first that holds decides. */
export function casbinPolicy(): { model: string; lines: string[][] } {
  const order = ['DENY', 'REQUIRE_HUMAN', 'ALLOW'];
  const sorted = rules.toSorted((one, other) => order.indexOf(one.decision) - order.indexOf(other.decision));
  const model = `
[request_definition]
r = q
[policy_definition]
p = id, rule, eft
[policy_effect]
e = priority(p.eft) || deny
[matchers]
m = eval(p.rule)
`;
  const expression = ({ when }: FlatRule) =>
    when
      .map((condition) =>
        'above' in condition
          ? `r.q.${condition.attribute} > ${condition.above}`
          : `(${condition.among.map((value) => `r.q.${condition.attribute} == '${value}'`).join(' || ')})`,
      )
      .join(' && ');
  const lines = sorted.map((one) => [
    `${one.decision}/${one.id}`,
    expression(one),
    one.decision === 'DENY' ? 'deny' : 'allow',
  ]);
  return { model, lines };
}

/** In json-rules-engine's: a rule whose event is the decision. */
export function jsonRules() {
  return rules.map(({ decision, when }) => ({
    conditions: {
      all: when.map((condition) =>
        'above' in condition
          ? { fact: condition.attribute, operator: 'greaterThan', value: condition.above }
          : { fact: condition.attribute, operator: 'in', value: [...condition.among] },
      ),
    },
    event: { type: decision },
  }));
}
