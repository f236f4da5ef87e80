import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import { realClock } from '#platform/base/clock';
import { seededRandom } from '#platform/base/random';
import { guestImage } from './guest.ts';

/** Returns the process IDs of QEMU by machine, of all machines below a root. */
async function machinesIn(root: string): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>();
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const directory = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (!directory.startsWith(`${root}/`) || !command.startsWith('/usr/bin/qemu-system')) continue;
    const id = directory.slice(root.length + 1).split(' ')[0] ?? '';
    found.set(id, [...(found.get(id) ?? []), Number(pid)]);
  }
  return found;
}

/** Output of node agents: machines that run for certain, those that may, and what contradicts that. */
class Ledger {
  readonly certain = new Set<string>();
  readonly doubtful = new Set<string>();
  readonly violations: string[] = [];

  read(line: string): void {
    const [what = '', ...words] = line.split(' ');
    const states = new Map(words.map((word) => [word.split(':')[0] ?? '', word.split(':')[1]] as const));
    if (what === 'adopted') this.#adopt(states);
    for (const id of states.keys()) {
      if (what === 'starting' || what === 'ending') this.#move(id, this.doubtful);
      if (what === 'started') this.#move(id, this.certain);
      if (what === 'ended') this.#move(id);
    }
  }

  /** Whatever was in progress when the last node agent was killed has either happened or not. */
  #adopt(found: ReadonlyMap<string, string | undefined>): void {
    for (const id of this.certain) if (!found.has(id)) this.violations.push(`machine ${id} was lost`);
    for (const id of found.keys()) {
      const isKnown = this.certain.has(id) || this.doubtful.has(id);
      if (!isKnown) this.violations.push(`machine ${id} was left behind`);
    }
    this.certain.clear();
    this.doubtful.clear();
    // A machine that is shutting down may end at any time, and one that has ended stays until it is removed.
    for (const [id, state] of found) {
      (state === 'ended' || state === 'stopping' ? this.doubtful : this.certain).add(id);
    }
  }

  #move(id: string, to?: Set<string>): void {
    this.certain.delete(id);
    this.doubtful.delete(id);
    to?.add(id);
  }
}

/** Kills a node agent again and again, and expects that no machine is lost, runs twice or is left behind. */
export async function killRepeatedly(root: string, times: number, seed: string): Promise<void> {
  const image = await guestImage();
  const random = seededRandom(seed);
  const ledger = new Ledger();
  for (let at = 0; at <= times; at++) {
    const { child, adopted } = startAgent(root, image, `${seed}/${at}`, ledger);
    await adopted;
    if (at < times) await realClock.sleep(random.next() * 1500);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(ledger.violations, `after kill ${at}`).toEqual([]);
    const running = await machinesIn(root);
    const directories = await readdir(root);
    for (const [id, pids] of running) {
      expect(pids, `processes of machine ${id}`).toHaveLength(1);
      expect(directories).toContain(id);
    }
    for (const id of ledger.certain) expect(running.has(id), `machine ${id} runs after kill ${at}`).toBe(true);
  }
}

function startAgent(root: string, image: string, seed: string, ledger: Ledger) {
  const script = join(import.meta.dirname, 'killed-agent.ts');
  const child: ChildProcess = spawn(process.execPath, [script, root, image, seed], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const adopted = Promise.withResolvers<void>();
  if (child.stdout !== null) {
    createInterface(child.stdout).on('line', (line) => {
      ledger.read(line);
      if (line.startsWith('adopted')) adopted.resolve();
    });
  }
  child.once('exit', () => adopted.reject(new Error('the node agent ended by itself')));
  adopted.promise.catch(() => undefined);
  return { child, adopted: adopted.promise };
}
