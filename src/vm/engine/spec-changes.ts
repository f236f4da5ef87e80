import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { compare, type Quantity, tryParseQuantity } from '#platform/base/quantity';

/** LiveUpdate applies what can change in a running VM. Stage leaves every change to the next start. */
export type RolloutStrategy = 'LiveUpdate' | 'Stage';

export interface SpecChanges {
  /** New spec of the running instance. Undefined if no change can reach it while it runs. */
  readonly live: InstanceSpec | undefined;
  /** Paths of changed fields that take effect only at the next start. */
  readonly restart: readonly string[];
  /** New annotations of the instance. Set only if any of them differ. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Describes the running VM that has a spec. */
export interface RunningSize {
  /** The instance can be migrated now, which is how it gets another size. */
  readonly migratable: boolean;
  /** Current sockets. Defaults to the value of the spec. */
  readonly sockets?: number | undefined;
  /** Memory at the start, which is also the minimum. Defaults to the value of the spec. */
  readonly minMemory?: string | number | undefined;
}

const NOTHING: SpecChanges = { live: undefined, restart: [] };
/** Default factor by which a running VM may grow if the spec does not set a maximum. */
const GROWTH = 4;

type Fields = Readonly<Record<string, unknown>>;

/** Returns the spec that an instance is created with. Its maximum size is fixed at the start. */
export function startSpec(desired: InstanceSpec, rollout: RolloutStrategy): InstanceSpec {
  if (rollout === 'Stage') return desired;
  const { cpu, memory } = desired.domain;
  const maxSockets = cpu?.maxSockets ?? (cpu?.sockets ?? 1) * GROWTH;
  return {
    ...desired,
    domain: {
      ...desired.domain,
      cpu: { ...cpu, maxSockets },
      ...(memory === undefined ? {} : { memory: { ...memory, ...maxGuestOf(memory) } }),
    },
  };
}

/** Returns the changes that turn the spec of an existing instance into the desired spec. */
export function specChanges(
  made: InstanceSpec,
  desired: InstanceSpec,
  rollout: RolloutStrategy,
  running: RunningSize = { migratable: true },
): SpecChanges {
  const changed = differences(made, desired, '');
  if (changed.length === 0) return NOTHING;
  if (rollout === 'Stage') return { live: undefined, restart: changed };
  const restart = changed.filter((path) => !isLive(path, made, desired, running));
  if (restart.length === changed.length) return { live: undefined, restart };
  return { live: withLive(made, desired, new Set(changed.filter((path) => !restart.includes(path)))), restart };
}

function isLive(path: string, made: InstanceSpec, desired: InstanceSpec, running: RunningSize): boolean {
  if (path === SOCKETS) return running.migratable && mayPlugSockets(made, desired, running);
  if (path === GUEST) return running.migratable && mayPlugMemory(made, desired, running);
  return PLACEMENT.has(path);
}

/** Returns the existing spec with the given fields as desired. */
function withLive(made: InstanceSpec, desired: InstanceSpec, paths: ReadonlySet<string>): InstanceSpec {
  const { cpu, memory } = made.domain;
  const spec: Record<string, unknown> = {
    ...made,
    domain: {
      ...made.domain,
      ...(paths.has(SOCKETS) ? { cpu: { ...cpu, sockets: desired.domain.cpu?.sockets } } : {}),
      ...(paths.has(GUEST) ? { memory: { ...memory, guest: desired.domain.memory?.guest } } : {}),
    },
  };
  for (const path of paths) if (PLACEMENT.has(path)) spec[path] = Reflect.get(desired, path);
  return spec as InstanceSpec;
}

const PLACEMENT: ReadonlySet<string> = new Set(['nodeSelector', 'affinity', 'tolerations']);
const SOCKETS = 'domain.cpu.sockets';
const GUEST = 'domain.memory.guest';

/**
 * Reports whether sockets can change live: they are never unplugged, but pending ones can be canceled. Sockets whose
 * migration can no longer be aborted stay until the next start.
 */
function mayPlugSockets({ domain: { cpu: made } }: InstanceSpec, desired: InstanceSpec, running: RunningSize): boolean {
  const requested = made?.sockets ?? 1;
  const to = desired.domain.cpu?.sockets ?? 1;
  return to >= Math.min(requested, running.sockets ?? requested) && to <= (made?.maxSockets ?? requested);
}

/** Reports whether memory can change live. Plugged memory can be unplugged again. */
function mayPlugMemory({ domain }: InstanceSpec, desired: InstanceSpec, { minMemory }: RunningSize): boolean {
  const min = read(minMemory ?? domain.memory?.guest);
  const max = read(domain.memory?.maxGuest);
  const to = read(desired.domain.memory?.guest);
  const known = domain.memory?.guest !== undefined && min !== undefined && max !== undefined && to !== undefined;
  return known && compare(to, min) >= 0 && compare(to, max) <= 0;
}

/** Mebibytes of guest memory below which KubeVirt plugs nothing in. */
const MIN_PLUGGABLE = 1024n;
const NANO = 1_000_000_000n;

function maxGuestOf({ guest, maxGuest }: NonNullable<InstanceSpec['domain']['memory']>): {
  maxGuest?: string | number;
} {
  if (maxGuest !== undefined) return { maxGuest };
  // Almost every spec has this form, and every start computes it.
  const [, digits = '', unit = ''] = /^([1-9][0-9]{0,8})([MG])i$/.exec(String(guest)) ?? [];
  const mebibytes = unit === '' ? mebibytesIn(guest) : BigInt(digits) * (unit === 'G' ? 1024n : 1n);
  return mebibytes < MIN_PLUGGABLE ? {} : { maxGuest: `${mebibytes * BigInt(GROWTH)}Mi` };
}

function mebibytesIn(amount: unknown): bigint {
  return ((read(amount)?.nano ?? 0n) / NANO) >> 20n;
}

/** Returns the paths where two specs differ, as deep as a reader would look. */
function differences(made: Fields, desired: Fields, prefix: string): string[] {
  const found: string[] = [];
  for (const name of new Set([...Object.keys(made), ...Object.keys(desired)])) {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const [a, b] = [made[name] ?? STANDARD[path], desired[name] ?? STANDARD[path]];
    // The maximum size was fixed at the start, unless the spec sets another.
    if ((b === undefined && GROWS.has(path)) || path === ONLY_AT_START) continue;
    if (isSame(a, b, AMOUNTS.test(path))) continue;
    if (OPENED.has(path)) found.push(...differences((a ?? {}) as Fields, (b ?? {}) as Fields, path));
    else found.push(path);
  }
  return found;
}

/** Fields that are compared by their parts. Every other field is compared as a whole. */
const OPENED: ReadonlySet<string> = new Set([
  'domain',
  'domain.cpu',
  'domain.memory',
  'domain.resources',
  'domain.devices',
]);
const GROWS: ReadonlySet<string> = new Set(['domain.cpu.maxSockets', 'domain.memory.maxGuest']);
/** A start request may have set it, and it has no effect after the start. */
const ONLY_AT_START = 'startStrategy';
/** Values of omitted fields. */
const STANDARD: Fields = {
  'domain.cpu.sockets': 1,
  'domain.cpu.cores': 1,
  'domain.cpu.threads': 1,
  terminationGracePeriodSeconds: 30,
};

const AMOUNTS = /^domain\.(memory\.(guest|maxGuest)|resources\.(requests|limits))$/;

/** Compares as JSON. An empty list equals none, and equal amounts may be written differently. */
function isSame(a: unknown, b: unknown, amounts = false): boolean {
  if (a === b) return true;
  if (Array.isArray(a) || Array.isArray(b)) return isSameList(a ?? [], b ?? []);
  if (isFields(a) && isFields(b)) {
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => isSame(a[name], b[name], amounts));
  }
  const [x, y] = amounts ? [read(a), read(b)] : [];
  return x !== undefined && y !== undefined && compare(x, y) === 0;
}

function isSameList(a: unknown, b: unknown): boolean {
  return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => isSame(item, b[i]));
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function read(amount: unknown): Quantity | undefined {
  return typeof amount === 'string' || typeof amount === 'number' ? tryParseQuantity(amount) : undefined;
}
