import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { realClock } from '#platform/base/clock';
import { ASSETS, type Asset, assetsFolder, findAsset } from './assets.ts';
import { fingerprint, fingerprintFile, MODULES } from './fingerprint.ts';
import { withLock } from './lock.ts';
import { type Program, RECIPES, type Recipe } from './recipes.ts';

export const hasGo = () => spawnSync('go', ['version'], { stdio: 'ignore' }).status === 0;

/** Reports whether a program exists in the required version. Any version of kubectl is accepted. */
export const isHere = (name: Program) => findAsset(name, ASSETS[name as Asset]) !== undefined;

/**
 * Builds missing programs into the user's cache. The first build of Kubernetes takes about ten minutes. Concurrent
 * callers build only once.
 */
export async function build(names: readonly Program[], say: (line: string) => void): Promise<void> {
  const folder = assetsFolder();
  mkdirSync(folder, { recursive: true });
  await withLock(join(folder, '.lock'), say, async () => {
    const missing = names.filter((name) => !isHere(name));
    for (const [at, name] of missing.entries()) {
      say(`building ${name} (${at + 1} of ${missing.length})`);
      const start = realClock.monotonic();
      await buildOne(folder, name);
      say(`built ${name} in ${Math.round((realClock.monotonic() - start) / 1000)} s`);
    }
  });
}

/** Returns the path of a program, which is built if it is missing. */
export async function built(name: Program): Promise<string> {
  await build([name], (line) => process.stdout.write(`${line}\n`));
  const path = findAsset(name);
  if (path === undefined) throw new Error(`${name} is not where it was built`);
  return path;
}

async function buildOne(folder: string, name: Program): Promise<void> {
  const recipe: Recipe = RECIPES[name];
  // The program is built under another name and renamed, so that others never see a partial file.
  const unfinished = join(folder, `.${name}.${process.pid}`);
  const values = Object.entries(recipe.set ?? {}).map(([variable, value]) => `-X ${variable}=${value}`);
  const args = [
    ...(recipe.tests === true ? ['test', '-c'] : ['build']),
    '-trimpath',
    '-buildvcs=false',
    `-ldflags=-s -w ${values.join(' ')}`,
    `-o=${unfinished}`,
    recipe.package,
  ];
  const env = { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' };
  const child = spawn('go', args, { cwd: join(MODULES, recipe.module), env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4000)));
  const code = await new Promise((settle, fail) => child.once('close', settle).once('error', fail));
  if (code !== 0) throw new Error(`go could not build ${name}:\n${said}`);
  writeFileSync(fingerprintFile(folder, name), fingerprint(recipe));
  renameSync(unfinished, join(folder, name));
}
