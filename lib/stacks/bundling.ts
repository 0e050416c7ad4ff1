import { cpSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';

/** One handler as it is deployed. Sizes are in bytes. */
export interface Bundle {
  readonly name: string;
  /** What a cold start reads: `handler.mjs` and whatever it imports at once. */
  readonly start: number;
  /** What lies beside it and is read when something first needs it. */
  readonly later: number;
  /** The packages in it, and the modules of ours. */
  readonly packages: readonly string[];
  readonly modules: readonly string[];
}

// The bundles are ES modules, but some of the libraries in them still call `require`.
const banner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/**
 * The SDK describes every operation of a service in one module of arrays. Their computed keys make a bundler keep them
 * all, for the four operations that are used: none of them does anything, and this says so.
 */
const pureSchemas: Plugin = {
  name: 'pure-schemas',
  setup(building) {
    building.onLoad({ filter: /@aws-sdk[\\/]client-.*[\\/]schemas_0\.js$/ }, ({ path }) => ({
      loader: 'js',
      contents: readFileSync(path, 'utf8').replace(
        /^((?:export )?var \w+\$? = )(\[(?:.*\]|[^;]*?\n\]));$/gm,
        (_whole, assigned: string, array: string) => `${assigned}/* @__PURE__ */ (() => ${array})();`,
      ),
    }));
  },
};

/** The reader of PDFs, as its package gives it: one file of 1.6 MB, bundled and minified already. */
const pdfReader = fileURLToPath(import.meta.resolve('unpdf/pdfjs'));
const pdfFile = './pdfjs.mjs';

/** To bundle that file once more takes as long as all handlers together, and changes nothing: it is put beside them. */
const pdfBeside: Plugin = {
  name: 'pdf-beside',
  setup(building) {
    building.onResolve({ filter: /^unpdf\/pdfjs$/ }, () => ({ path: pdfFile, external: true }));
  },
};

/**
 * Bundles every handler in one run, which is faster than one run each. Some are then bundled once more, with what they
 * import only when it is needed in files of its own beside them.
 * @param directory the folder `lambdas`
 * @param output where `<name>/handler.mjs` is written; nothing is written without it
 */
export async function bundle(
  directory: string,
  names: readonly string[],
  output?: string,
): Promise<readonly Bundle[]> {
  const options = optionsOf(directory, output);
  const entry = (name: string): string => join(directory, name, 'handler.ts');
  const entryPoints = names.map(entry);
  const ours = await build({ ...options, entryPoints, packages: 'external', alias: {}, write: false });
  const apart = names.filter((name) => gainsByParts(ours.metafile, name));
  const together = names.filter((name) => !apart.includes(name)).map(entry);
  const [{ metafile: whole }, parts] = await Promise.all([
    build({ ...options, entryPoints: together }),
    inTurn(apart, async (name) => {
      const chunkNames = `${name}/[name]-[hash]`;
      return (await build({ ...options, entryPoints: [entry(name)], splitting: true, chunkNames })).metafile;
    }),
  ]);
  const bundles = names.map((name) => bundleOf(name, parts[apart.indexOf(name)] ?? whole));
  if (output !== undefined) {
    for (const { name } of bundles.filter(readsPdf)) cpSync(pdfReader, join(output, name, pdfFile));
  }
  return bundles;
}

const readsPdf = ({ packages }: Pick<Bundle, 'packages'>): boolean => packages.includes('unpdf');

function optionsOf(directory: string, output: string | undefined): BuildOptions & { metafile: true } {
  const root = dirname(directory);
  return {
    absWorkingDir: root,
    outdir: output ?? join(root, 'bundles'),
    write: output !== undefined,
    outbase: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    alias: {
      '@aws-sdk/credential-provider-node': join(directory, 'credentials.ts'),
      // The same library as its package gives to Node, in a form of which a bundler can leave out what is not used.
      yaml: join(root, 'node_modules', 'yaml', 'browser', 'index.js'),
    },
    plugins: [pureSchemas, pdfBeside],
    banner: { js: banner },
    metafile: true,
    logLevel: 'error',
  };
}

/** The file that a handler starts with, and those that it imports at once. */
function filesOf({ outputs }: Metafile, name: string): string[] {
  const first = Object.keys(outputs).find((path) => path.endsWith(join(name, 'handler.mjs'))) ?? '';
  const found = new Set([first]);
  for (const path of found) {
    for (const each of outputs[path]?.imports ?? []) {
      if (each.kind === 'import-statement' && each.external !== true) found.add(each.path);
    }
  }
  return [...found];
}

/** One after the other: many runs side by side take more memory than they save time. */
async function inTurn<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await run(item));
  return results;
}

/**
 * Whether a handler gains by lying in several files: one that imports something only when it is needed. What reads mail
 * is large in any case, and lies in one, unless it starts a thread of its own with a file of its own.
 */
function gainsByParts(metafile: Metafile, name: string): boolean {
  const { modules } = bundleOf(name, metafile);
  const large = modules.includes('lib/mail/message.ts') && !modules.includes('lib/evidence/sandbox.ts');
  return importsLater(metafile, name) && !large;
}

/** Whether a handler's own modules import something only when it is needed. */
function importsLater(metafile: Metafile, name: string): boolean {
  const { inputs, outputs } = metafile;
  return filesOf(metafile, name)
    .flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}))
    .some((path) => inputs[path]?.imports.some(({ kind }) => kind === 'dynamic-import') === true);
}

function bundleOf(name: string, metafile: Metafile): Bundle {
  const { outputs } = metafile;
  const start = filesOf(metafile, name);
  const folder = dirname(start[0] ?? '');
  const all = Object.keys(outputs).filter((path) => dirname(path) === folder);
  const sum = (paths: readonly string[]): number =>
    paths.reduce((total, path) => total + (outputs[path]?.bytes ?? 0), 0);
  const parts = all.flatMap((path) => Object.entries(outputs[path]?.inputs ?? {}));
  const inputs = [
    ...new Set(parts.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path)),
  ];
  const packages = inputs.map(packageOf).filter((found) => found !== undefined);
  return {
    name: basename(folder),
    start: sum(start),
    later: sum(all) - sum(start) + (readsPdf({ packages }) ? statSync(pdfReader).size : 0),
    packages: [...new Set(packages)].sort(),
    modules: inputs.filter((path) => packageOf(path) === undefined).sort(),
  };
}

/** `@aws-sdk/client-s3` of a path below `node_modules`. */
function packageOf(path: string): string | undefined {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
}
