/** Hierarchies of cgroups in which a process is, with the directory of its own cgroup in each. */
export interface CgroupLayout {
  readonly version: 1 | 2;
  /** Directories by controller. Those of version 2 are the same. */
  readonly memory?: string;
  readonly cpu?: string;
}

interface CgroupMount {
  readonly path: string;
  readonly root: string;
  /** Controllers of version 1, or undefined for version 2. */
  readonly controllers: readonly string[] | undefined;
}

/**
 * Finds the cgroups of a process in its /proc files. Version 2 counts only if it has the controllers, which it does not
 * where it exists beside version 1.
 */
export function cgroupLayout(cgroup: string, mountinfo: string, unifiedControllers: string): CgroupLayout | undefined {
  const mounts = mountinfo.split('\n').flatMap(cgroupMount);
  const groups = cgroup.split('\n').flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    return controllers === undefined || path === undefined ? [] : [{ controllers: controllers.split(','), path }];
  });
  const directory = (controller: string) => {
    const mount = mounts.find(({ controllers }) => (controllers ?? ['']).includes(controller));
    const group = groups.find(({ controllers }) => controllers.includes(controller));
    return mount === undefined || group === undefined ? undefined : below(mount, group.path);
  };
  const unified = directory('');
  const available = new Set(unifiedControllers.trim().split(/\s+/));
  if (unified !== undefined && available.has('memory') && available.has('cpu')) {
    return { version: 2, memory: unified, cpu: unified };
  }
  const [memory, cpu] = [directory('memory'), directory('cpu')];
  if (memory === undefined && cpu === undefined) return undefined;
  return { version: 1, ...(memory === undefined ? {} : { memory }), ...(cpu === undefined ? {} : { cpu }) };
}

function cgroupMount(line: string): CgroupMount[] {
  const [before = '', after = ''] = line.split(' - ');
  const [, , , root = '', path = ''] = before.split(' ');
  const [type, , options = ''] = after.split(' ');
  if (type === 'cgroup2') return [{ path, root, controllers: undefined }];
  return type === 'cgroup' ? [{ path, root, controllers: options.split(',') }] : [];
}

function below({ path, root }: CgroupMount, group: string): string {
  const inside = root !== '/' && group.startsWith(root) ? group.slice(root.length) : group;
  return inside === '/' || inside === '' ? path : `${path}${inside}`;
}

export interface MachineLimits {
  readonly memoryBytes: number;
  /** Processors, where 1 is the whole time of one. */
  readonly cpus: number;
}

const PERIOD_US = 100_000;

/** Returns the files that limit a cgroup, in the order in which they are written. */
export function limitFiles(version: 1 | 2, controller: 'memory' | 'cpu', limits: MachineLimits): [string, string][] {
  const quota = Math.ceil(limits.cpus * PERIOD_US);
  if (controller === 'memory')
    return [[version === 2 ? 'memory.max' : 'memory.limit_in_bytes', `${limits.memoryBytes}`]];
  if (version === 2) return [['cpu.max', `${quota} ${PERIOD_US}`]];
  return [
    ['cpu.cfs_period_us', `${PERIOD_US}`],
    ['cpu.cfs_quota_us', `${quota}`],
  ];
}

/** Memory that QEMU and its keeper need beside that of the guest: devices, page tables, translated code, buffers. */
const OVERHEAD_BYTES = 256 * 2 ** 20;
/** Processor time that QEMU needs beside that of the guest's processors. */
const OVERHEAD_CPUS = 0.5;

export function machineLimits(memoryBytes: number, vcpus: number): MachineLimits {
  return { memoryBytes: memoryBytes + Math.ceil(memoryBytes / 16) + OVERHEAD_BYTES, cpus: vcpus + OVERHEAD_CPUS };
}

/** Returns how often the kernel killed a process of a cgroup because its memory was used up. */
export function oomKills(text: string): number {
  return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0);
}
