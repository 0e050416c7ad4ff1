import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type BuildOptions,
  build,
  type ImportKind,
  type Metafile,
  type OutputFile,
  type Plugin,
} from 'esbuild';

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

/** The bundles are ES modules, but some of the libraries in them still call `require`. */
export const requireBanner =
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

/**
 * Every schema of zod can be asked for itself as JSON Schema, so that a bundler keeps what answers that, and no function
 * asks: the models' tools have schemas of our own. Whoever does is told so.
 */
const noJsonSchemas: Plugin = {
  name: 'no-json-schemas',
  setup(building) {
    const files = /[\\/]zod[\\/]v4[\\/]core[\\/](?:to-json-schema|json-schema-processors)\.js$/;
    const refusal =
      "const refuse = () => () => { throw Object.assign(new TypeError('JSON Schema is left out of the bundles'), { name: 'UNEXPECTED' }); };";
    building.onLoad({ filter: files }, ({ path }) => {
      const exported = readFileSync(path, 'utf8').matchAll(/^export (?:function|const) (\w+)/gm);
      const names = [...exported].map(([, name]) => `export const ${name} = refuse;`);
      return { loader: 'js', contents: [refusal, ...names].join('\n') };
    });
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

/** Handlers that are bundled in one run, and how. */
interface Run {
  readonly names: readonly string[];
  /** What they share, and what they import only when it is needed, lies in files of its own. */
  readonly inParts: boolean;
}

/**
 * Bundles every handler, in as few runs as its size allows.
 * @param directory the folder `lambdas`
 * @param output where `<name>/handler.mjs` is written, with what it imports beside it; nothing is written without it
 */
export async function bundle(
  directory: string,
  names: readonly string[],
  output?: string,
): Promise<readonly Bundle[]> {
  const options = optionsOf(directory);
  const entry = (name: string): string => join(directory, name, 'handler.ts');
  const entryPoints = names.map(entry);
  const ours = await build({ ...options, entryPoints, packages: 'external', alias: {}, minify: false });
  const bundles: Bundle[] = [];
  // One after the other: many runs side by side take more memory than they save time.
  for (const { names: some, inParts } of runsOf(ours.metafile, names)) {
    const { metafile, outputFiles } = await build({
      ...options,
      entryPoints: some.map(entry),
      splitting: inParts,
    });
    for (const name of some) {
      if (output !== undefined) write(name, metafile, outputFiles, output);
      bundles.push(bundleOf(name, metafile));
    }
  }
  return bundles.sort((one, other) => names.indexOf(one.name) - names.indexOf(other.name));
}

/**
 * What reads mails is large in any case, and bundled fastest with all that it shares in parts. Of the others, those that
 * import something only when it is needed gain by a run each, since parts that are shared hold what any of them uses.
 */
function runsOf(metafile: Metafile, names: readonly string[]): readonly Run[] {
  const readsMail = (name: string): boolean =>
    bundleOf(name, metafile).modules.includes('lib/mail/message.ts');
  const readers = names.filter(readsMail);
  const others = names.filter((name) => !readers.includes(name));
  const apart = others.filter((name) => importsLater(metafile, name));
  const together = others.filter((name) => !apart.includes(name));
  return [
    { names: readers, inParts: true },
    { names: together, inParts: false },
    ...apart.map((name) => ({ names: [name], inParts: true })),
  ].filter((run) => run.names.length > 0);
}

/** A handler and its parts, in a folder of its own: parts find each other beside themselves. */
function write(name: string, metafile: Metafile, files: readonly OutputFile[], output: string): void {
  const folder = join(output, name);
  mkdirSync(folder, { recursive: true });
  for (const path of reached(metafile, name, () => true)) {
    const { contents } = files.find((file) => file.path.endsWith(`/${basename(path)}`)) as OutputFile;
    writeFileSync(join(folder, isEntry(path, name) ? 'handler.mjs' : basename(path)), contents);
  }
  if (readsPdf(bundleOf(name, metafile))) cpSync(pdfReader, join(folder, pdfFile));
}

const readsPdf = ({ packages }: Pick<Bundle, 'packages'>): boolean => packages.includes('unpdf');

function optionsOf(directory: string): BuildOptions & { metafile: true; write: false } {
  const root = dirname(directory);
  return {
    absWorkingDir: root,
    outdir: join(root, 'bundles'),
    write: false,
    outbase: directory,
    entryNames: '[dir]',
    chunkNames: 'part-[hash]',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    minify: true,
    charset: 'utf8',
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    alias: {
      '@aws-sdk/credential-provider-node': join(directory, 'credentials.ts'),
      // The same library as its package gives to Node, in a form of which a bundler can leave out what is not used.
      yaml: join(root, 'node_modules', 'yaml', 'browser', 'index.js'),
    },
    plugins: [pureSchemas, noJsonSchemas, pdfBeside],
    banner: { js: requireBanner },
    metafile: true,
    logLevel: 'error',
  };
}

const isEntry = (path: string, name: string): boolean => basename(path) === `${name}.mjs`;

/** The file that a handler starts with, and those that it imports, and they, where the import is one that is asked for. */
function reached(
  { outputs }: Metafile,
  name: string,
  follow: (kind: ImportKind | 'file-loader') => boolean,
): string[] {
  const found = new Set(Object.keys(outputs).filter((path) => isEntry(path, name)));
  for (const path of found) {
    for (const each of outputs[path]?.imports ?? []) {
      if (follow(each.kind) && each.external !== true) found.add(each.path);
    }
  }
  return [...found];
}

const startFiles = (metafile: Metafile, name: string): string[] =>
  reached(metafile, name, (kind) => kind === 'import-statement');

/** Whether a handler's own modules import something only when it is needed. */
function importsLater(metafile: Metafile, name: string): boolean {
  const { inputs, outputs } = metafile;
  return startFiles(metafile, name)
    .flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}))
    .some((path) => inputs[path]?.imports.some(({ kind }) => kind === 'dynamic-import') === true);
}

function bundleOf(name: string, metafile: Metafile): Bundle {
  const { outputs } = metafile;
  const start = startFiles(metafile, name);
  const all = reached(metafile, name, () => true);
  const sum = (paths: readonly string[]): number =>
    paths.reduce((total, path) => total + (outputs[path]?.bytes ?? 0), 0);
  const parts = all.flatMap((path) => Object.entries(outputs[path]?.inputs ?? {}));
  const inputs = [
    ...new Set(parts.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path)),
  ];
  const packages = inputs.map(packageOf).filter((found) => found !== undefined);
  return {
    name,
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
