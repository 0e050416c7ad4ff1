import {
  type Change,
  type CloudFormationClient,
  DescribeChangeSetCommand,
  type DescribeChangeSetCommandOutput,
} from '@aws-sdk/client-cloudformation';
import { CaregateError } from '../errors.ts';
import { digestOf, type Sha256 } from '../provenance/digest.ts';

/** What would become of one resource. */
export interface PlannedChange {
  /** `Add`, `Modify`, `Remove`, `Import`, `Dynamic`, `SyncWithActual`, or what the service may add one day. */
  readonly action: string;
  readonly type: string;
  /** Its name in the template. */
  readonly name: string;
  /** Whether another one takes its place: for sure, never, or depending on what is known only while it happens. */
  readonly replacement: 'yes' | 'no' | 'perhaps';
  /** What becomes of the old one: `Delete`, `Retain`, `ReplaceAndDelete`…, where the service says it. */
  readonly old?: string;
  /** The properties that change. */
  readonly properties: readonly string[];
}

/** A change set as the service has it. Its ARN names these very changes for ever. */
export interface ChangeSet {
  readonly arn: string;
  readonly stack: string;
  readonly status: string;
  readonly execution: string;
  readonly reason: string;
  readonly changes: readonly PlannedChange[];
  /** Of the changes as they were read. */
  readonly digest: Sha256;
}

/**
 * Reads every page of a change set.
 * @param name its name or ARN
 * @throws CaregateError `CLOUD_UNAVAILABLE`
 */
export async function readChangeSet(
  client: CloudFormationClient,
  stack: string,
  name: string,
): Promise<ChangeSet> {
  const pages: DescribeChangeSetCommandOutput[] = [];
  let token: string | undefined;
  do {
    const page: DescribeChangeSetCommandOutput = await client
      .send(new DescribeChangeSetCommand({ StackName: stack, ChangeSetName: name, NextToken: token }))
      .catch((cause: unknown) => {
        throw new CaregateError(
          'CLOUD_UNAVAILABLE',
          `change set of stack \`${stack}\` cannot be described; check the region and your rights, then plan again`,
          { cause },
        );
      });
    pages.push(page);
    token = page.NextToken;
  } while (token !== undefined);
  const changes = pages.flatMap(({ Changes = [] }) => Changes.map(plannedChange));
  const [first] = pages;
  return {
    arn: first?.ChangeSetId ?? '',
    stack,
    status: first?.Status ?? '',
    execution: first?.ExecutionStatus ?? '',
    reason: first?.StatusReason ?? '',
    changes,
    digest: digestOf(changes),
  };
}

/** A change without what could not be told apart from another by a reader: only what the explanation is made of. */
function plannedChange({ ResourceChange: change }: Change): PlannedChange {
  const properties = (change?.Details ?? []).map(({ Target }) => Target?.Name ?? Target?.Attribute ?? '');
  return {
    action: change?.Action ?? 'unknown',
    type: change?.ResourceType ?? 'unknown',
    name: change?.LogicalResourceId ?? '',
    replacement: replacementOf(change?.Replacement, change?.PolicyAction),
    ...(change?.PolicyAction === undefined ? {} : { old: change.PolicyAction }),
    properties: [...new Set(properties)].filter(Boolean).sort(),
  };
}

/** A word that is not known counts as perhaps. */
function replacementOf(
  replacement: string | undefined,
  policy: string | undefined,
): 'yes' | 'no' | 'perhaps' {
  if (replacement === 'True' || policy?.startsWith('Replace') === true) return 'yes';
  return replacement === undefined || replacement === 'False' ? 'no' : 'perhaps';
}
