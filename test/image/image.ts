import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, join, resolve } from 'node:path';

/** Executes a Dockerfile without a container engine: every stage is a directory in which its commands run. */
export interface Image {
  /** File system of the last stage, without its base. */
  readonly root: string;
  /** Base images of the stages. */
  readonly bases: readonly string[];
  readonly user: string;
  readonly env: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly ports: readonly string[];
}

interface Stage {
  readonly root: string;
  folder: string;
  user: string;
  env: Record<string, string>;
  entrypoint: readonly string[];
  ports: readonly string[];
}

/** Executes a Dockerfile. Throws if a file is missing, a command fails, or an instruction is unknown. */
export function buildImage(dockerfile: string, context: string, into: string): Image {
  const stages = new Map<string, Stage>();
  const bases: string[] = [];
  let stage: Stage | undefined;
  for (const [word, rest] of instructionsOf(readFileSync(dockerfile, 'utf8'))) {
    if (word === 'FROM') {
      const [base = '', , name = String(stages.size)] = rest.split(/\s+/);
      bases.push(base);
      stage = { root: join(into, name), folder: '/', user: '', env: {}, entrypoint: [], ports: [] };
      mkdirSync(stage.root, { recursive: true });
      stages.set(name, stage);
      continue;
    }
    if (stage === undefined) throw new Error(`${word} before FROM`);
    follow(stage, word, rest, (from) => (from === undefined ? new Context(context) : stages.get(from)));
  }
  if (stage === undefined) throw new Error('no FROM');
  return { ...stage, bases };
}

/** Returns the instructions, with continued lines joined and comments removed. */
function instructionsOf(text: string): [word: string, rest: string][] {
  const lines = text.split('\n').filter((line) => !/^\s*#/.test(line));
  const whole = lines.join('\n').replaceAll(/\\\n/g, ' ').split('\n');
  return whole
    .filter((line) => line.trim() !== '')
    .map((line) => [/^\S+/.exec(line)?.[0] ?? '', line.replace(/^\S+\s+/, '')]);
}

function follow(
  stage: Stage,
  word: string,
  rest: string,
  sourceOf: (from?: string) => Stage | Context | undefined,
): void {
  switch (word) {
    case 'WORKDIR':
      stage.folder = resolve(stage.folder, rest);
      mkdirSync(inside(stage), { recursive: true });
      return;
    case 'COPY': {
      const words = rest.split(/\s+/);
      const from = /^--from=(.*)$/.exec(words[0] ?? '')?.[1];
      const source = sourceOf(from);
      if (source === undefined) throw new Error(`COPY: there is no stage ${from}`);
      copy(stage, source, from === undefined ? words : words.slice(1));
      return;
    }
    case 'RUN':
      run(stage, rest);
      return;
    case 'ENV':
      for (const [, name = '', value = ''] of rest.matchAll(/(\w+)=(\S*)/g)) stage.env[name] = value;
      return;
    case 'USER':
      stage.user = rest;
      return;
    case 'EXPOSE':
      stage.ports = rest.split(/\s+/);
      return;
    case 'ENTRYPOINT':
      stage.entrypoint = JSON.parse(rest) as string[];
      return;
    default:
      throw new Error(`nobody here knows ${word}`);
  }
}

/** Longer than any step takes, so that a step that waits for an unresponsive server fails. */
const TIMEOUT_MS = 5 * 60_000;

const inside = ({ root, folder }: Stage, path = '.') => join(root, resolve(folder, path));

/** Returns the files of a repository that a container engine receives. */
class Context {
  readonly #root: string;
  /** Returns the files that .dockerignore includes after excluding everything. */
  readonly #let: readonly string[];

  constructor(root: string) {
    this.#root = root;
    const [all, ...others] = readFileSync(join(root, '.dockerignore'), 'utf8').trim().split('\n');
    if (all !== '**' || others.some((line) => !line.startsWith('!')))
      throw new Error('.dockerignore is of another form');
    this.#let = others.map((line) => line.slice(1));
  }

  path(name: string): string {
    const isLet = this.#let.some((each) => name === each || name.startsWith(`${each}/`));
    if (!isLet) throw new Error(`COPY ${name}: .dockerignore leaves it out`);
    return join(this.#root, name);
  }
}

function copy(stage: Stage, source: Stage | Context, words: readonly string[]): void {
  const to = words.at(-1) ?? '';
  const names = words.slice(0, -1);
  const isFolder = to.endsWith('/') || names.length > 1;
  for (const name of names) {
    const path = source instanceof Context ? source.path(name) : inside(source, name);
    if (!existsSync(path)) throw new Error(`COPY ${name}: there is no such file`);
    const target =
      isFolder && !statSync(path).isDirectory() ? inside(stage, join(to, basename(name))) : inside(stage, to);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(path, target, { recursive: true, verbatimSymlinks: true });
  }
}

function run(stage: Stage, command: string): void {
  // Node.js of the base is the one that runs this test. Its npm settings must not be inherited.
  const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  const outer = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'));
  const env = { ...Object.fromEntries(outer), NODE_ENV: '', PATH, ...stage.env };
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd: inside(stage),
    env,
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
  });
  if (status !== 0) throw new Error(`RUN ${command}: ${stdout}${stderr}`);
}
