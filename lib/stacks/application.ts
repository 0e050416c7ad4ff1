import { join } from 'node:path';
import type { App } from 'aws-cdk-lib';
import { type Acknowledgement, checkStacks } from './acknowledgements.ts';
import { ApprovalsStack } from './approvals.ts';
import { bundlesIn, gatherConfiguration } from './bundles.ts';
import { CaseFileStack } from './casefile.ts';
import { type Deployment, loadDeployment } from './deployment.ts';
import { MailboxStack } from './mailbox.ts';
import { SweepStack } from './sweep.ts';
import { WatchStack } from './watch.ts';
import { WorkflowStack } from './workflow.ts';

/** The stacks of a deployment, in the order in which they are made. */
export interface Stacks {
  readonly deployment: Deployment;
  readonly caseFile: CaseFileStack;
  readonly approvals: ApprovalsStack;
  readonly workflow: WorkflowStack;
  readonly mailbox: MailboxStack;
  readonly sweep: SweepStack;
  readonly watch: WatchStack;
  /** The findings of cdk-nag that stand. */
  readonly acknowledged: ReadonlySet<Acknowledgement>;
}

/**
 * The stacks of one deployment, in an app that is synthesized without an account and without a network. The context
 * `deployment` names its file, and `commit` what it is built from.
 * The bundles of its functions lie in the app's folder already.
 * @param root the folder of the repository
 * @throws CaregateError `CONFIGURATION_INVALID`
 */
export function deploy(app: App, root: string): Stacks {
  const deployment = loadDeployment(context(app, 'deployment') ?? join(root, 'deployment.example.yaml'));
  const { region, account } = deployment;
  const env = account === undefined ? { region } : { region, account };
  const lambdas = join(root, 'lambdas');
  const bundles = bundlesIn(app.outdir);
  const configuration = join(app.outdir, 'configuration');
  gatherConfiguration(deployment, configuration);
  const named = (name: string) => `${deployment.name}-${name}`;
  const common = { deployment, env };
  const caseFile = new CaseFileStack(app, named('case-file'), common);
  const approvals = new ApprovalsStack(app, named('approvals'), { ...common, caseFile });
  const workflow = new WorkflowStack(app, named('workflow'), {
    ...common,
    caseFile,
    approvals,
    commit: context(app, 'commit') ?? 'none',
    definition: join(root, 'statemachines', 'care-event.asl.json'),
    lambdas,
    bundles,
    configuration,
  });
  const mailbox = new MailboxStack(app, named('mailbox'), { ...common, caseFile, workflow, bundles });
  const sweep = new SweepStack(app, named('sweep'), { ...common, workflow });
  const watch = new WatchStack(app, named('watch'), { ...common, caseFile, workflow, sweep });
  const acknowledged = checkStacks(app, deployment.name, caseFile);
  return { deployment, caseFile, approvals, workflow, mailbox, sweep, watch, acknowledged };
}

function context(app: App, name: string): string | undefined {
  const value: unknown = app.node.tryGetContext(name);
  return typeof value === 'string' ? value : undefined;
}
