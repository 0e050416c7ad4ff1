import type { Context } from './condition.ts';
import { type Access, evaluate, type Principal, type Verdict } from './evaluate.ts';
import { permissionStatement } from './permission.ts';
import { type Policy, readPolicy } from './policy.ts';
import { account } from './symbols.ts';
import type { Located, TemplateJson } from './template.ts';
import { Templates } from './template.ts';

/** A role of the deployment with all that decides on what it may do. */
export interface DeployedRole {
  /** The function's folder, for the role of a function; else the logical id. */
  readonly name: string;
  readonly arn: string;
  readonly identity: readonly Policy[];
  readonly boundary?: Policy | undefined;
  /** Who may take the role on. */
  readonly trust: Policy;
}

/** A resource with a policy of its own: a bucket, a key, a queue, a topic, a function. */
export interface Guarded {
  readonly arn: string;
  readonly policy: Policy;
}

/** What a deployment's templates say of who may do what. */
export interface Deployed {
  readonly templates: Templates;
  /** The roles of the functions, by the function's folder. */
  readonly functions: ReadonlyMap<string, DeployedRole>;
  /** Every other role, by logical id. */
  readonly others: ReadonlyMap<string, DeployedRole>;
  readonly guarded: readonly Guarded[];
}

/** Types that hold the policy of another resource, the property that names it, and how it is named there. */
const resourcePolicies = [
  { type: 'AWS::S3::BucketPolicy', target: 'Bucket', of: 'AWS::S3::Bucket' },
  { type: 'AWS::SQS::QueuePolicy', target: 'Queues', of: 'AWS::SQS::Queue' },
  { type: 'AWS::SNS::TopicPolicy', target: 'Topics', of: 'AWS::SNS::Topic' },
] as const;

/**
 * Reads roles, their policies, and the policies of resources out of the templates of one deployment.
 * @param prefix what the names of the functions begin with
 */
export function readDeployed(given: Readonly<Record<string, TemplateJson>>, prefix: string): Deployed {
  const templates = new Templates(given);
  const functionOf = new Map<string, string>();
  for (const located of templates.all('AWS::Lambda::Function')) {
    const role = templates.locate(located.stack, located.resource.Properties?.Role);
    const name = located.resource.Properties?.FunctionName;
    if (role !== undefined && typeof name === 'string' && name.startsWith(`${prefix}-`)) {
      functionOf.set(`${role.stack}.${role.id}`, name.slice(prefix.length + 1));
    }
  }
  const functions = new Map<string, DeployedRole>();
  const others = new Map<string, DeployedRole>();
  for (const located of templates.all('AWS::IAM::Role')) {
    const folder = functionOf.get(`${located.stack}.${located.id}`);
    const role = roleOf(templates, located, folder ?? located.id);
    if (folder === undefined) others.set(located.id, role);
    else functions.set(folder, role);
  }
  return { templates, functions, others, guarded: guardedOf(templates) };
}

function roleOf(templates: Templates, located: Located, name: string): DeployedRole {
  const { stack, resource } = located;
  const { AssumeRolePolicyDocument, PermissionsBoundary } = resource.Properties ?? {};
  const arn = templates.arn(located);
  const boundary = templates
    .all('AWS::IAM::ManagedPolicy')
    .find(
      (policy) =>
        PermissionsBoundary !== undefined &&
        templates.arn(policy) === templates.resolve(stack, PermissionsBoundary),
    );
  return {
    name,
    arn,
    identity: [...inlineOf(templates, located), ...attachedOf(templates, located)],
    boundary: boundary && documentOf(templates, boundary),
    trust: readPolicy(`${located.id} trust`, templates.resolve(stack, AssumeRolePolicyDocument)),
  };
}

function inlineOf(templates: Templates, { stack, id, resource }: Located): Policy[] {
  const policies = (resource.Properties?.Policies ?? []) as { PolicyName: string; PolicyDocument: unknown }[];
  return policies.map(({ PolicyName, PolicyDocument }) =>
    readPolicy(`${id} ${PolicyName}`, templates.resolve(stack, PolicyDocument)),
  );
}

/** Policies that name the role, and managed ones that the role names. */
function attachedOf(templates: Templates, role: Located): Policy[] {
  const name = templates.name(role);
  const named = ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'].flatMap((type) =>
    templates.all(type).filter(({ stack, resource }) => {
      const roles = templates.resolve(stack, resource.Properties?.Roles ?? []) as string[];
      return roles.includes(name);
    }),
  );
  const listed = (
    templates.resolve(role.stack, role.resource.Properties?.ManagedPolicyArns ?? []) as string[]
  ).map((arn) => {
    const found = templates.all('AWS::IAM::ManagedPolicy').find((policy) => templates.arn(policy) === arn);
    return found === undefined ? wellKnown(arn) : documentOf(templates, found);
  });
  return [...named.map((policy) => documentOf(templates, policy)), ...listed];
}

function documentOf(templates: Templates, { stack, id, resource }: Located): Policy {
  return readPolicy(id, templates.resolve(stack, resource.Properties?.PolicyDocument));
}

/** What AWS's own policies allow, as far as the templates use them. Another is an error, not a guess. */
function wellKnown(arn: string): Policy {
  const name = arn.slice(arn.lastIndexOf('/') + 1);
  const actions: Readonly<Record<string, readonly string[]>> = {
    AWSLambdaBasicExecutionRole: ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'],
  };
  const Action = actions[name];
  if (Action === undefined)
    throw new Error(`managed policy \`${arn}\` is not known; give the role rights of its own`);
  return readPolicy(name, {
    Version: '2012-10-17',
    Statement: { Effect: 'Allow', Action, Resource: '*' },
  });
}

function guardedOf(templates: Templates): Guarded[] {
  const attached = resourcePolicies.flatMap(({ type, target, of }) =>
    templates.all(type).flatMap((policy) => {
      const named = templates.resolve(policy.stack, policy.resource.Properties?.[target]);
      return (Array.isArray(named) ? named : [named]).flatMap((name: string) =>
        templates
          .all(of)
          .filter((resource) => isNamed(templates, resource, name))
          .map((resource) => ({ arn: templates.arn(resource), policy: documentOf(templates, policy) })),
      );
    }),
  );
  const keys = templates.all('AWS::KMS::Key').map((key) => ({
    arn: templates.arn(key),
    policy: readPolicy(key.id, templates.resolve(key.stack, key.resource.Properties?.KeyPolicy)),
  }));
  return [...attached, ...keys, ...functionsOf(templates)];
}

/** Functions with what lets services have them run: each right is a resource of the template of its own. */
function functionsOf(templates: Templates): Guarded[] {
  const permissions = templates.all('AWS::Lambda::Permission').map((located) => {
    const resolved = templates.resolve(located.stack, located.resource.Properties) as Record<string, unknown>;
    return { of: String(resolved.FunctionName), statement: permissionStatement(located, resolved) };
  });
  return templates.all('AWS::Lambda::Function').flatMap((located) => {
    const [arn, name] = [templates.arn(located), templates.name(located)];
    const statements = permissions.filter(({ of }) => of === arn || of === name);
    if (statements.length === 0) return [];
    return [{ arn, policy: { name: located.id, statements: statements.map(({ statement }) => statement) } }];
  });
}

function isNamed(templates: Templates, resource: Located, name: string): boolean {
  const queueUrl = `${templates.name(resource)}.QueueUrl`;
  return [templates.name(resource), templates.arn(resource), queueUrl].includes(name);
}

/** The principal that a role is when it asks for something. */
export function principalOf({ arn, identity, boundary }: DeployedRole): Principal {
  return { kind: 'role', arn, identity, boundary };
}

/** A request of somebody else of the account, whom nothing of his own holds back. */
export function administrator(arn: string): Principal {
  return { kind: 'role', arn, identity: [everything] };
}

/** As wide as an identity policy can be: what a claim has to hold against. */
export const everything: Policy = readPolicy('everything', {
  Version: '2012-10-17',
  Statement: { Sid: 'Everything', Effect: 'Allow', Action: '*', Resource: '*' },
});

/** Decides on a request against the deployment, with the policy of whatever is asked for. */
export function decide(
  deployed: Pick<Deployed, 'guarded'>,
  principal: Principal,
  request: { readonly action: string; readonly resource: string; readonly context?: Context },
): Verdict {
  const context = { 'aws:SecureTransport': 'true', ...request.context };
  const access: Access = { principal, ...request, context };
  return evaluate({ ...access, resourcePolicy: guardOf(deployed, request.resource) });
}

/** Another key of the account, as most are: its policy hands the decision to the account. */
const otherKey: Policy = readPolicy('another key', {
  Version: '2012-10-17',
  Statement: {
    Effect: 'Allow',
    Principal: { AWS: `arn:aws:iam::${account}:root` },
    Action: 'kms:*',
    Resource: '*',
  },
});

function guardOf({ guarded }: Pick<Deployed, 'guarded'>, resource: string): Policy | undefined {
  const found = guarded.find(({ arn }) => resource === arn || resource.startsWith(`${arn}/`));
  return found?.policy ?? (resource.startsWith('arn:aws:kms:') ? otherKey : undefined);
}
