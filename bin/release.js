#!/usr/bin/env node
// The entry of what deploys a release. npm starts it with the Node 24 that is installed beside the project.
await import('../lib/release/main.ts');
