import { join } from 'node:path';
import type { App } from 'aws-cdk-lib';
import { bundleHandlers, gatherConfiguration } from './bundles.ts';
import { CaseFileStack } from './casefile.ts';
import { loadDeployment } from './deployment.ts';
import { WorkflowStack } from './workflow.ts';

/** The stacks of one deployment, in an app that is synthesized without an account and without a network. */
export function deploy(app: App, root: string): { caseFile: CaseFileStack; workflow: WorkflowStack } {
  const named: unknown = app.node.tryGetContext('deployment');
  const deployment = loadDeployment(
    typeof named === 'string' ? named : join(root, 'deployment.example.yaml'),
  );
  const lambdas = join(root, 'lambdas');
  const bundles = join(app.outdir, 'bundles');
  const configuration = join(app.outdir, 'configuration');
  bundleHandlers(lambdas, bundles);
  gatherConfiguration(deployment, configuration);
  const caseFile = new CaseFileStack(app, `${deployment.name}-case-file`);
  const workflow = new WorkflowStack(app, `${deployment.name}-workflow`, {
    deployment,
    caseFile,
    definition: join(root, 'statemachines', 'care-event.asl.json'),
    lambdas,
    bundles,
    configuration,
  });
  return { caseFile, workflow };
}
