import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleHandlers, bundlesIn } from './stacks/bundles.ts';

// What `cdk` runs: from the repository's root, wherever it was started. It takes seconds to bundle the handlers and
// seconds to load the CDK, so that the one is done while the other is.
const root = fileURLToPath(new URL('..', import.meta.url));
const outdir = process.env.CDK_OUTDIR ?? mkdtempSync(join(tmpdir(), 'caregate-cdk-'));
const [{ App }, { deploy }] = await Promise.all([
  import('aws-cdk-lib'),
  import('./stacks/application.ts'),
  bundleHandlers(join(root, 'lambdas'), bundlesIn(outdir)),
]);
// CloudFormation's own rules take three more seconds: a plan of a release and the tests ask for them.
const { CAREGATE_VALIDATION: validation } = process.env;
const app = new App({ outdir, builtinCloudFormationValidation: validation === 'on' });
deploy(app, root);
app.synth();
