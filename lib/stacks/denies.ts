import { dutyOf } from './duties.ts';
import { modelAccess } from './models.ts';
import { inboxListing, listings } from './places.ts';
import { correspondence, type Estate, type Grant, grantsOf, objectArns, shownAttributes } from './rights.ts';

/** Something that a function may not do, whatever else it may have been given. */
export interface Denial {
  readonly sid: string;
  readonly actions?: readonly string[];
  readonly notActions?: readonly string[];
  readonly resources?: readonly string[];
  readonly notResources?: readonly string[];
  readonly conditions?: Grant['conditions'];
}

/**
 * What a duty need not name: a function may trace itself, and have keys decrypt. Lambda has a function's own role decrypt
 * its settings, with a key that no template names, so that a Deny of it would stop every function.
 */
const always = ['xray:PutTraceSegments', 'xray:PutTelemetryRecords', 'kms:Decrypt'];

/** Actions whose resources are kept by a denial of their own. */
const apart = new Set(['s3:GetObject', 's3:PutObject', 'kms:Decrypt']);

/**
 * The ceiling of a function: everything outside its duty is denied, so that nothing that it is ever given on top has an
 * effect. The grants open exactly what the ceiling leaves.
 * @param queue the ARN of the queue that Lambda puts a failed event into, as the function, if it has one
 */
export function denialsOf(name: string, estate: Estate, queue: string | undefined): Denial[] {
  const grants: Grant[] = [
    ...grantsOf(name, estate),
    { sid: 'Log', actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [estate.log] },
    ...(queue === undefined ? [] : [{ sid: 'Keep', actions: ['sqs:SendMessage'], resources: [queue] }]),
  ];
  const { needs } = dutyOf(name);
  return [
    {
      sid: 'NoOtherAction',
      notActions: [...unique(grants, ({ actions }) => actions), ...always].sort(),
      resources: ['*'],
    },
    ...objectDenials(name, estate, grants),
    ...resourceDenials(grants),
    ...(needs.includes('view-register') && !needs.includes('register') ? secretsDenials(estate) : []),
    ...(needs.includes('send') ? mailDenials(name, estate) : []),
    ...modelDenials(name, estate),
  ];
}

function unique(grants: readonly Grant[], of: (grant: Grant) => readonly string[]): string[] {
  return [...new Set(grants.flatMap(of))].sort();
}

function objectDenials(name: string, estate: Estate, grants: readonly Grant[]): Denial[] {
  const { writes } = objectArns(name, estate);
  const readable = unique(
    grants.filter(({ actions }) => actions.includes('s3:GetObject')),
    ({ resources }) => resources,
  );
  const denials: Denial[] = [];
  if (readable.length > 0)
    denials.push({ sid: 'NoOtherReading', actions: ['s3:GetObject'], notResources: readable });
  if (writes.length > 0)
    denials.push({ sid: 'NoOtherWriting', actions: ['s3:PutObject'], notResources: writes });
  const { lists, needs } = dutyOf(name);
  const listing = (sid: string, bucket: string, prefixes: readonly string[]): Denial => ({
    sid,
    actions: ['s3:ListBucket'],
    resources: [bucket],
    conditions: { StringNotLike: { 's3:prefix': prefixes } },
  });
  const { cases, inbox } = estate;
  if (lists.length > 0)
    denials.push(
      listing(
        'NoOtherListing',
        cases.bucketArn,
        lists.map((one) => listings[one]),
      ),
    );
  if (needs.includes('list-inbox'))
    denials.push(listing('NoOtherInboxListing', inbox.bucketArn, [inboxListing]));
  return denials;
}

/**
 * Each action that has resources, on any other resource than the duty has it for. One denial for each action: together
 * they would let a function do to one table what it may do to another.
 */
function resourceDenials(grants: readonly Grant[]): Denial[] {
  const kept = grants.filter(({ resources }) => !resources.includes('*'));
  const having = new Map<string, string[]>();
  for (const action of unique(kept, ({ actions }) => actions).filter((one) => !apart.has(one))) {
    const own = kept.filter(({ actions }) => actions.includes(action));
    const resources = JSON.stringify(unique(own, (grant) => grant.resources));
    having.set(resources, [...(having.get(resources) ?? []), action]);
  }
  return [...having].map(([resources, actions]) => ({
    sid: `NoOther${actions.map((action) => action.split(':')[1] ?? '').join('')}`,
    actions,
    notResources: JSON.parse(resources),
  }));
}

/** An approval's token, codes and links are not for who only shows it: not even a read that names nothing. */
function secretsDenials({ approvalTable }: Estate): Denial[] {
  const read = { actions: ['dynamodb:GetItem'], resources: [approvalTable.tableArn] };
  return [
    {
      sid: 'NoSecrets',
      ...read,
      conditions: { 'ForAnyValue:StringNotEquals': { 'dynamodb:Attributes': shownAttributes } },
    },
    { sid: 'NoWholeApproval', ...read, conditions: { Null: { 'dynamodb:Attributes': 'true' } } },
  ];
}

/** Whoever sends writes to the circles' own lists, from the circles' own senders, and to nobody beside them. */
function mailDenials(name: string, estate: Estate): Denial[] {
  const { senders, recipients } = correspondence(name, estate);
  const send = { actions: ['ses:SendRawEmail'], resources: ['*'] };
  return [
    {
      sid: 'NoOtherRecipient',
      ...send,
      conditions: { 'ForAnyValue:StringNotEquals': { 'ses:Recipients': recipients } },
    },
    { sid: 'NoHiddenRecipient', ...send, conditions: { Null: { 'ses:Recipients': 'true' } } },
    { sid: 'NoOtherSender', ...send, conditions: { StringNotEquals: { 'ses:FromAddress': senders } } },
  ];
}

/** A model that is asked through a profile is asked through that profile alone. */
function modelDenials(name: string, { stack, models }: Estate): Denial[] {
  return (models[name] ?? []).flatMap((model, at) => {
    const { entry, behind } = modelAccess(stack, model);
    if (behind.length === 0) return [];
    const conditions = { StringNotEquals: { 'bedrock:InferenceProfileArn': entry } };
    return [
      { sid: `NoOtherProfile${at + 1}`, actions: ['bedrock:InvokeModel'], resources: behind, conditions },
    ];
  });
}
