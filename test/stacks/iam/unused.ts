import type { DeployedRole } from './deployed.ts';
import type { Estate } from './estate.ts';
import { isAction, isArn, isLike } from './pattern.ts';
import type { Statement } from './policy.ts';
import type { Asked } from './requests.ts';

/** Every right of a function, one action on one resource each, that none of its requests took: `function action resource`. */
export function unusedRights(
  role: DeployedRole,
  requests: readonly Asked[],
  { resources }: Estate,
): string[] {
  const allows = role.identity.flatMap(({ statements }) =>
    statements.filter(({ Effect }) => Effect === 'Allow'),
  );
  const created = new Set(
    allows.flatMap(({ Sid, Resource = [] }) => (Sid === 'CreateObjects' ? Resource : [])),
  );
  return allows.flatMap((statement) =>
    (statement.Action ?? []).flatMap((action) =>
      targetsOf(statement)
        // What a function creates it reads where something is there already.
        .filter(({ target }) => action !== 's3:GetObject' || !created.has(target))
        .filter(({ taken }) => !requests.some((asked) => isAction(action, asked.action) && taken(asked)))
        .map(({ target }) => `${role.name} ${action} ${target.replace(`${resources.cases}/`, '')}`),
    ),
  );
}

interface Target {
  readonly target: string;
  readonly taken: (asked: Asked) => boolean;
}

/** What a statement is about: its resources, or each of the prefixes that it may list. */
function targetsOf({ Resource = [], Condition }: Statement): Target[] {
  const prefixes = Condition?.StringLike?.['s3:prefix'];
  if (prefixes !== undefined) {
    return prefixes.map((prefix) => ({
      target: prefix,
      taken: ({ context }) => isLike(prefix, String(context?.['s3:prefix'] ?? '')),
    }));
  }
  return Resource.map((resource) => ({
    target: resource,
    taken: (asked) => resource === '*' || (asked.resource !== '*' && isArn(resource, asked.resource)),
  }));
}
