import { isBuiltin } from 'node:module';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Plugin, rolldown } from 'rolldown';

/** Globals of Node.js. Uses of them that no scope declares are marked. */
const NODE_GLOBALS = ['process', 'Buffer', '__dirname', '__filename'];
const MARK = '__node_global_';
/** Use of a marked global, but for the question whether there is one. */
const MARKED = new RegExp(`(?<!typeof )${MARK}(\\w+)`, 'g');
/** Comment of the bundler at the start of each file, where the code is not minified. */
const REGION = /^\/\/(?:#region)? (\S+\.[cm]?[jt]s)$/;

export interface BrowserBundle {
  /** Script that assigns the exports of the entry to a global variable. */
  readonly code: string;
  readonly bytes: number;
  readonly gzipBytes: number;
  /** Modules of Node.js that are imported, each with the file that does. */
  readonly nodeImports: readonly string[];
  /** Globals of Node.js that are used, each with the file that does if it is known. */
  readonly nodeGlobals: readonly string[];
}

/** Bundles all code of files for a browser, whether or not it is used. */
export async function bundleFiles(files: readonly string[]): Promise<BrowserBundle> {
  return await bundle({ input: ENTRY, files, name: 'files', whole: true });
}

/** Bundles a program for a browser, as a page would load it. Its exports become a global variable. */
export async function bundleProgram(input: string, name: string): Promise<BrowserBundle> {
  return await bundle({ input, files: [], name, whole: false });
}

interface BundleOptions {
  readonly input: string;
  readonly files: readonly string[];
  readonly name: string;
  /** Keeps unused code, and names. */
  readonly whole: boolean;
}

async function bundle({ input, files, name, whole }: BundleOptions): Promise<BrowserBundle> {
  const nodeImports: string[] = [];
  const building = await rolldown({
    input,
    platform: 'browser',
    treeshake: !whole,
    logLevel: 'silent',
    transform: { define: Object.fromEntries(NODE_GLOBALS.map((global) => [global, `${MARK}${global}`])) },
    plugins: [entryOf(files), nodeModules(nodeImports)],
  });
  const { output } = await building.generate({ format: 'iife', name, minify: !whole, codeSplitting: false });
  await building.close();
  const [{ code }] = output;
  return {
    code,
    bytes: Buffer.byteLength(code),
    gzipBytes: gzipSync(code).length,
    nodeImports: nodeImports.sort(),
    nodeGlobals: nodeGlobalsIn(code),
  };
}

function nodeGlobalsIn(code: string): string[] {
  const found = new Set<string>();
  let file = 'the bundle';
  for (const line of code.split('\n')) {
    file = REGION.exec(line.trim())?.[1] ?? file;
    for (const [, global] of line.matchAll(MARKED)) found.add(`${global} in ${file}`);
  }
  return [...found].sort();
}

const ENTRY = 'virtual:files';

/** Provides a module that imports all files. */
function entryOf(files: readonly string[]): Plugin {
  const text = files.map((file) => `import ${JSON.stringify(resolve(file))};\n`).join('');
  return {
    name: 'files',
    resolveId: (id) => (id === ENTRY ? ENTRY : undefined),
    load: (id) => (id === ENTRY ? text : undefined),
  };
}

/** Records imports of Node.js' modules, and leaves them out of the bundle. */
function nodeModules(found: string[]): Plugin {
  return {
    name: 'modules of Node.js',
    resolveId(id, importer = '') {
      if (!isBuiltin(id)) return undefined;
      found.push(`${id} in ${importer.replace(`${process.cwd()}/`, '')}`);
      return { id, external: true };
    },
  };
}
