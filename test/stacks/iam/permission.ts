import type { Statement } from './policy.ts';
import type { Located } from './template.ts';

/** The right that a template gives a service, as the statement that Lambda makes of it. */
export function permissionStatement(
  { id, resource }: Located,
  resolved: Readonly<Record<string, unknown>>,
): Statement {
  const { Action, Principal, SourceArn, SourceAccount, FunctionName: _, ...others } = resolved;
  // What is not understood would be passed over, and the right be taken for narrower or wider than it is.
  if (Object.keys(others).length > 0 || !/^[a-z0-9-]+\.amazonaws\.com$/.test(String(Principal)))
    throw new Error(`\`${resource.Type}\` \`${id}\` is not understood: ${JSON.stringify(resolved)}`);
  const condition = {
    ...(SourceArn === undefined ? {} : { ArnLike: { 'aws:SourceArn': [String(SourceArn)] } }),
    ...(SourceAccount === undefined
      ? {}
      : { StringEquals: { 'aws:SourceAccount': [String(SourceAccount)] } }),
  };
  return {
    Sid: id,
    Effect: 'Allow',
    Principal: { Service: [String(Principal)] },
    Action: [String(Action)],
    ...(Object.keys(condition).length === 0 ? {} : { Condition: condition }),
  };
}
