import { readFileSync } from 'node:fs';
import { handlerNames, placeholderOf } from '../../../lib/stacks/bundles.ts';
import { dutyOf } from '../../../lib/stacks/duties.ts';
import type { Context } from './condition.ts';
import { type Deployed, type DeployedRole, decide, principalOf } from './deployed.ts';
import type { Estate } from './estate.ts';
import type { Principal } from './evaluate.ts';
import type { Policy, Statement } from './policy.ts';
import { account, region } from './symbols.ts';

/** Somebody who tries to have functions run. */
export interface Caller {
  /** In words; what is somebody else's begins with `another`. */
  readonly what: string;
  readonly principal: Principal;
  readonly context: Context;
}

/** Who may have which functions run, by what the page calls the function. */
export interface InvocationClaim {
  readonly name: string;
  readonly callers: readonly Caller[];
  /** The functions' ARNs. Every one that is not listed is out of these callers' reach. */
  readonly functions: readonly string[];
}

const machineFile = readFileSync('statemachines/care-event.asl.json', 'utf8');

const service = (name: string, what: string, source: string | undefined, from = account): Caller => ({
  what,
  principal: { kind: 'service', name },
  context: source === undefined ? {} : { 'aws:SourceArn': source, 'aws:SourceAccount': from },
});

/** What can be said of who has functions run: the services with what they come from, and the roles. */
export function invocationClaims({ deployed, resources }: Estate): InvocationClaim[] {
  const { functionArn } = resources;
  const rule = `arn:aws:ses:${region}:${account}:receipt-rule-set/caregate:receipt-rule/caregate-inbox`;
  const claims = [
    {
      name: 'SES has `ingest` run, for the mails of its own rule',
      callers: [service('ses.amazonaws.com', 'SES, for the rule that receives', rule)],
      functions: [functionArn('ingest')],
    },
    ...routeClaims(deployed, functionArn),
    ...endingClaims(deployed, functionArn),
    ...roleClaims(deployed, functionArn),
  ];
  const sources = claims.flatMap(({ callers }) =>
    callers.filter(({ principal }) => principal.kind === 'service'),
  );
  return [
    ...claims,
    {
      name: 'nobody else has any function run',
      callers: [...strangers(rule), ...sources.map(impostor)],
      functions: [],
    },
  ];
}

/** Another service that says it acts for what one of ours acts for. */
function impostor({ what, context }: Caller): Caller {
  const principal = { kind: 'service', name: 's3.amazonaws.com' } as const;
  return { what: `another service, in the name of ${what}`, principal, context };
}

/** The routes of the API, each with the function that it is wired to, by the API's own template. */
function routeClaims({ templates }: Deployed, functionArn: (name: string) => string): InvocationClaim[] {
  const callers = templates.all('AWS::ApiGatewayV2::Route').map(({ stack, resource }) => {
    const { ApiId, RouteKey } = resource.Properties ?? {};
    const [method = '', path = ''] = String(RouteKey).split(' ');
    const api = String(templates.resolve(stack, ApiId));
    const source = `arn:aws:execute-api:${region}:${account}:${api}/$default/${method}${path}`;
    return { path, caller: service('apigateway.amazonaws.com', `the pages, ${method} ${path}`, source) };
  });
  const leading = (path: string): Caller[] =>
    callers.filter((each) => each.path === path).map(({ caller }) => caller);
  return [
    {
      name: 'the pages have `health` run at `/healthz`',
      callers: leading('/healthz'),
      functions: [functionArn('health')],
    },
    { name: 'the pages have `web` run at `/`', callers: leading('/'), functions: [functionArn('web')] },
    {
      // The right knows paths and no methods: which of the two answers a method is said by the route alone.
      name: 'the pages have `web` and `decide` run everywhere else',
      callers: leading('/{page+}'),
      functions: [functionArn('web'), functionArn('decide')],
    },
  ];
}

function endingClaims({ templates }: Deployed, functionArn: (name: string) => string): InvocationClaim[] {
  const rules = templates.all('AWS::Events::Rule');
  const told = (id: string, name: string): InvocationClaim => ({
    name: `EventBridge has \`${name}\` run, for its own rule`,
    callers: rules
      .filter((rule) => rule.id.startsWith(id))
      .map((rule) => service('events.amazonaws.com', 'EventBridge, for its rule', templates.arn(rule))),
    functions: [functionArn(name)],
  });
  return [told('Failed', 'report'), told('Ended', 'audit')];
}

function roleClaims(
  { functions, others }: Deployed,
  functionArn: (name: string) => string,
): InvocationClaim[] {
  const steps = handlerNames('lambdas').filter((name) => machineFile.includes(`\${${placeholderOf(name)}}`));
  const caller = (role: DeployedRole): Caller => ({
    what: role.name,
    principal: principalOf(role),
    context: {},
  });
  const named = (start: string): DeployedRole[] =>
    [...others.values()].filter(({ name }) => name.startsWith(start));
  const [machine, scheduler] = [named('MachineRole'), named('SchedulerRole')];
  const tellers = [...functions.values()].filter(({ name }) => dutyOf(name).needs.includes('notify'));
  const known = new Set([...machine, ...scheduler, ...tellers]);
  const rest = [...functions.values(), ...others.values()].filter((role) => !known.has(role));
  return [
    {
      name: 'the machine has its own steps run',
      callers: machine.map(caller),
      functions: steps.map(functionArn),
    },
    {
      name: 'the scheduler has `sweep` run',
      callers: scheduler.map(caller),
      functions: [functionArn('sweep')],
    },
    {
      name: 'functions that tell people have `notify` run',
      callers: tellers.map(caller),
      functions: [functionArn('notify')],
    },
    { name: 'no other role has any function run', callers: rest.map(caller), functions: [] },
  ];
}

/** The same services on behalf of somebody else, and services that have no business here. */
function strangers(rule: string): Caller[] {
  const elsewhere = '444455556666';
  const other = (text: string): string => text.replace(account, elsewhere);
  const api = (id: string, owner = account): string =>
    `arn:aws:execute-api:${region}:${owner}:${id}/$default/POST/{page+}`;
  const bus = (owner = account): string => `arn:aws:events:${region}:${owner}:rule/another`;
  const anotherRule = rule.replace('caregate-inbox', 'another');
  return [
    service('ses.amazonaws.com', 'another rule of SES', anotherRule),
    service('ses.amazonaws.com', 'another account’s rule of SES', other(rule), elsewhere),
    service('ses.amazonaws.com', 'another account, in the name of our rule', rule, elsewhere),
    service('apigateway.amazonaws.com', 'another API', api('another')),
    service('apigateway.amazonaws.com', 'another account’s API', api('another', elsewhere), elsewhere),
    service('events.amazonaws.com', 'another rule of EventBridge', bus()),
    service('events.amazonaws.com', 'another account’s rule of EventBridge', bus(elsewhere), elsewhere),
    ...['ses', 'apigateway', 'events', 'scheduler', 's3', 'sns', 'lambda', 'states'].map((name) =>
      service(`${name}.amazonaws.com`, `${name}, on behalf of nobody`, undefined),
    ),
  ];
}

const invoking = (resource: string) => ({ action: 'lambda:InvokeFunction', resource });

/** Where a claim does not hold, in words. */
export function invocationViolations(
  { callers, functions }: InvocationClaim,
  deployed: Pick<Deployed, 'guarded'>,
  all: readonly string[],
): string[] {
  if (callers.length === 0) return ['nobody is there whom it is about'];
  return callers.flatMap(({ what, principal, context }) =>
    all.flatMap((resource) => {
      const { decision } = decide(deployed, principal, { ...invoking(resource), context });
      const able = decision === 'allowed';
      if (able === functions.includes(resource)) return [];
      return [`${what} ${able ? 'has' : 'cannot have'} ${resource} run`];
    }),
  );
}

/** One thing that lets somebody have functions run, made wider on purpose. */
export interface WiderInvocation {
  readonly what: string;
  readonly deployed: Deployed;
}

/** The rights of services, in turn: from anywhere, for any account, for anybody. */
export function widerPermissions(deployed: Deployed): WiderInvocation[] {
  const { templates, guarded } = deployed;
  const functions = new Set(templates.all('AWS::Lambda::Function').map((each) => templates.arn(each)));
  return guarded
    .filter(({ arn }) => functions.has(arn))
    .flatMap((guard) =>
      guard.policy.statements.flatMap((statement) =>
        widened(statement).map(({ change, wider }) => ({
          what: `${statement.Sid} ${change}`,
          deployed: {
            ...deployed,
            guarded: guarded.map((one) =>
              one === guard ? { ...guard, policy: replaced(guard.policy, statement, wider) } : one,
            ),
          },
        })),
      ),
    );
}

/** The roles that are no function's, each given every function that it has no right to. */
export function widerRoles(deployed: Deployed): WiderInvocation[] {
  return [...deployed.others].map(([id, role]) => {
    const statement: Statement = { Effect: 'Allow', Action: ['lambda:InvokeFunction'], Resource: ['*'] };
    const given: Policy = { name: 'given', statements: [statement] };
    // What is denied to it explicitly cannot be given either: without that the grant is seen.
    const identity = [...role.identity.map(allowing), given];
    return {
      what: `${role.name} on any function`,
      deployed: { ...deployed, others: new Map([...deployed.others, [id, { ...role, identity }]]) },
    };
  });
}

function allowing(policy: Policy): Policy {
  return { ...policy, statements: policy.statements.filter(({ Effect }) => Effect === 'Allow') };
}

function widened(statement: Statement): { change: string; wider: Statement }[] {
  const { Condition = {}, ...unconditional } = statement;
  const without = Object.keys(Condition).map((operator) => {
    const { [operator]: _, ...rest } = Condition;
    return { change: `without ${operator}`, wider: { ...unconditional, Condition: rest } };
  });
  return [...without, { change: 'for anybody', wider: { ...statement, Principal: '*' as const } }];
}

function replaced(policy: Policy, statement: Statement, by: Statement): Policy {
  return { ...policy, statements: policy.statements.map((one) => (one === statement ? by : one)) };
}
