import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleBeside } from './stacks/bundles.ts';

// What `cdk` runs: from the repository's root, wherever it was started. The CDK takes seconds to load, and so does the
// bundling of the handlers: each goes on beside the other.
const root = fileURLToPath(new URL('..', import.meta.url));
const bundles = mkdtempSync(join(tmpdir(), 'caregate-bundles-'));
process.once('exit', () => rmSync(bundles, { recursive: true, force: true }));
const bundling = bundleBeside(join(root, 'lambdas'), bundles);
const [{ App }, { deploy }] = await Promise.all([import('aws-cdk-lib'), import('./stacks/application.ts')]);
await bundling;
const app = new App();
deploy(app, root, bundles);
app.synth();
