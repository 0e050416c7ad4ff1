import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleActivation } from './activation/bundle.ts';
import { handlerNames } from './bundles.ts';
import { bundle } from './bundling.ts';

// What `bundleHandlers` runs in a process of its own.
const [directory = '', output = ''] = process.argv.slice(2);
const bundles = await bundle(directory, handlerNames(directory), output);
await bundleActivation(output);
writeFileSync(join(output, 'bundles.json'), JSON.stringify(bundles, undefined, 1));
