import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '#platform/base/clock';
import { type CgroupLayout, cgroupLayout, limitFiles, type MachineLimits, oomKills } from './cgroup-layout.ts';

const CONTROLLERS = ['memory', 'cpu'] as const;

/** Limits machines by cgroups, as far as the host lets the node agent create them. */
export class Cgroups {
  readonly #layout: CgroupLayout | undefined;
  /** Reason why machines are not limited, or not completely. */
  readonly limitation: string | undefined;

  private constructor(layout: CgroupLayout | undefined, limitation: string | undefined) {
    this.#layout = layout;
    this.limitation = limitation;
  }

  /** Finds out by trying which limits can be set. `probe` is a name that no other process uses. */
  static async open(probe: string): Promise<Cgroups> {
    const read = (file: string) => readFile(file, 'utf8').catch(() => '');
    const [own, mounts] = await Promise.all([read('/proc/self/cgroup'), read('/proc/self/mountinfo')]);
    const unified = cgroupLayout(own, mounts, 'memory cpu');
    const controllers = unified?.version === 2 ? await read(join(unified.memory ?? '', 'cgroup.controllers')) : '';
    const layout = cgroupLayout(own, mounts, controllers);
    if (layout === undefined) return new Cgroups(undefined, 'the host has no cgroups with memory and cpu controllers');
    const failure = await prepare(layout, probe);
    if (failure !== undefined) return new Cgroups(undefined, failure);
    const missing = CONTROLLERS.filter((controller) => layout[controller] === undefined);
    return new Cgroups(layout, missing.length === 0 ? undefined : `there is no ${missing.join(' and ')} controller`);
  }

  /** Machines that are not limited, for tests and hosts without cgroups. */
  static none(limitation: string): Cgroups {
    return new Cgroups(undefined, limitation);
  }

  /** Returns the directories of a machine's cgroups, which need not exist yet. */
  directoriesOf(id: string): string[] {
    return this.#layout === undefined ? [] : groupsOf(this.#layout, `vimana-${id}`).map(({ directory }) => directory);
  }

  async create(id: string, limits: MachineLimits): Promise<void> {
    if (this.#layout !== undefined) await createGroups(this.#layout, `vimana-${id}`, limits);
  }
}

const REMOVE_TIMEOUT_MS = 5_000;
const REMOVE_AGAIN_MS = 10;

/** Deletes the cgroups of a machine that has ended, with whatever still runs in them. */
export async function removeCgroups(directories: readonly string[], clock: Clock): Promise<void> {
  const end = clock.monotonic() + REMOVE_TIMEOUT_MS;
  for (const directory of directories) {
    while (!(await isRemoved(directory)) && clock.monotonic() < end) {
      await killMembers(directory);
      await clock.sleep(REMOVE_AGAIN_MS);
    }
  }
}

async function isRemoved(directory: string): Promise<boolean> {
  return await rmdir(directory).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );
}

async function killMembers(directory: string): Promise<void> {
  const members = await readFile(join(directory, 'cgroup.procs'), 'utf8').catch(() => '');
  for (const pid of members.split('\n').filter(Boolean)) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Reports whether the kernel killed a process of a machine because it used up its memory. */
export async function wasOutOfMemory(directories: readonly string[]): Promise<boolean> {
  for (const directory of directories) {
    for (const file of ['memory.events', 'memory.oom_control']) {
      const text = await readFile(join(directory, file), 'utf8').catch(() => '');
      if (oomKills(text) > 0) return true;
    }
  }
  return false;
}

function groupsOf(layout: CgroupLayout, name: string) {
  const groups = new Map<string, ('memory' | 'cpu')[]>();
  for (const controller of CONTROLLERS) {
    const parent = layout[controller];
    if (parent === undefined) continue;
    const directory = join(parent, name);
    groups.set(directory, [...(groups.get(directory) ?? []), controller]);
  }
  return [...groups].map(([directory, controllers]) => ({ directory, controllers }));
}

async function createGroups(layout: CgroupLayout, name: string, limits: MachineLimits): Promise<void> {
  for (const { directory, controllers } of groupsOf(layout, name)) {
    await mkdir(directory, { recursive: true });
    for (const controller of controllers) {
      for (const [file, text] of limitFiles(layout.version, controller, limits)) {
        await writeFile(join(directory, file), text);
      }
    }
  }
}

/**
 * Creates and deletes a cgroup as for a machine. In version 2, a cgroup with processes cannot have others with
 * controllers below it, so that the node agent moves to one of its own first, which is possible where it was delegated.
 */
async function prepare(layout: CgroupLayout, probe: string): Promise<string | undefined> {
  const name = `vimana-${probe}`;
  try {
    if (layout.version === 2) await delegate(layout.memory ?? '');
    await createGroups(layout, name, { memoryBytes: 2 ** 30, cpus: 1 });
    return undefined;
  } catch (error) {
    const { code = '', path = '' } = error as NodeJS.ErrnoException;
    return `the node agent may not create cgroups (${code} ${path})`.replace(' )', ')');
  } finally {
    for (const { directory } of groupsOf(layout, name)) await isRemoved(directory);
  }
}

async function delegate(own: string): Promise<void> {
  const enabled = new Set((await readFile(join(own, 'cgroup.subtree_control'), 'utf8')).trim().split(/\s+/));
  if (enabled.has('memory') && enabled.has('cpu')) return;
  const leaf = join(own, 'vimana-node-agent');
  await mkdir(leaf, { recursive: true });
  await writeFile(join(leaf, 'cgroup.procs'), `${process.pid}`);
  await writeFile(join(own, 'cgroup.subtree_control'), '+memory +cpu');
}
