import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { deploy } from './stacks/application.ts';

// What `cdk` runs: from the repository's root, wherever it was started.
const app = new App();
deploy(app, fileURLToPath(new URL('..', import.meta.url)));
app.synth();
