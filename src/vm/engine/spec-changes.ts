import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { compare, type Quantity, tryParseQuantity } from '#platform/base/quantity';

/** LiveUpdate brings to a running machine what can be changed while it runs; Stage leaves everything to its next start. */
export type RolloutStrategy = 'LiveUpdate' | 'Stage';

export interface SpecChanges {
  /** The spec that the instance is to have from now on; undefined where nothing reaches it while it runs. */
  readonly live: InstanceSpec | undefined;
  /** Paths of changed fields that reach the machine only with its next start. */
  readonly restart: readonly string[];
  /** Annotations that the instance is to have from now on, where any of them differ. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What is known of the machine that runs with a spec. */
export interface RunningSize {
  /** Whether it can be moved now, which is how it comes by another size. */
  readonly migratable: boolean;
  /** What it has; where absent, what the spec says. */
  readonly sockets?: number | undefined;
  /** The memory that it started with, below which it cannot go; where absent, what the spec says. */
  readonly minMemory?: string | number | undefined;
}

const NOTHING: SpecChanges = { live: undefined, restart: [] };
/** How much more of it may be plugged in while the machine runs, where the spec does not say. */
const GROWTH = 4;

type Fields = Readonly<Record<string, unknown>>;

/** The spec that an instance is made with: how far it may grow is settled with its start. */
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

/** What it takes to make of the spec that an instance was made with the one that is wanted now. */
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

/** The spec that was made with some of its fields as they are wanted. */
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
 * Sockets are never taken out; those that were asked for and have not come yet need not come. Where they come all the
 * same, because it was too late to give up their migration, they stay until the next start.
 */
function mayPlugSockets({ domain: { cpu: made } }: InstanceSpec, desired: InstanceSpec, running: RunningSize): boolean {
  const asked = made?.sockets ?? 1;
  const to = desired.domain.cpu?.sockets ?? 1;
  return to >= Math.min(asked, running.sockets ?? asked) && to <= (made?.maxSockets ?? asked);
}

/** Memory that was plugged in can be taken out again. */
function mayPlugMemory({ domain }: InstanceSpec, desired: InstanceSpec, { minMemory }: RunningSize): boolean {
  const least = read(minMemory ?? domain.memory?.guest);
  const most = read(domain.memory?.maxGuest);
  const to = read(desired.domain.memory?.guest);
  const known = domain.memory?.guest !== undefined && least !== undefined && most !== undefined && to !== undefined;
  return known && compare(to, least) >= 0 && compare(to, most) <= 0;
}

/** Mebibytes below which nothing can be plugged in, as KubeVirt has it. */
const MIN_PLUGGABLE = 1024n;
const NANO = 1_000_000_000n;

function maxGuestOf({ guest, maxGuest }: NonNullable<InstanceSpec['domain']['memory']>): {
  maxGuest?: string | number;
} {
  if (maxGuest !== undefined) return { maxGuest };
  // Nearly everybody writes it this way, and it is worked out for every start.
  const [, digits = '', unit = ''] = /^([1-9][0-9]{0,8})([MG])i$/.exec(String(guest)) ?? [];
  const mebibytes = unit === '' ? mebibytesIn(guest) : BigInt(digits) * (unit === 'G' ? 1024n : 1n);
  return mebibytes < MIN_PLUGGABLE ? {} : { maxGuest: `${mebibytes * BigInt(GROWTH)}Mi` };
}

function mebibytesIn(amount: unknown): bigint {
  return ((read(amount)?.nano ?? 0n) / NANO) >> 20n;
}

/** Where the two differ, as far down as a reader would look for it. */
function differences(made: Fields, desired: Fields, prefix: string): string[] {
  const found: string[] = [];
  for (const name of new Set([...Object.keys(made), ...Object.keys(desired)])) {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const [a, b] = [made[name] ?? STANDARD[path], desired[name] ?? STANDARD[path]];
    // How far a machine may grow was settled at its start, unless somebody says otherwise.
    if ((b === undefined && GROWS.has(path)) || path === ONLY_AT_START) continue;
    if (isSame(a, b, AMOUNTS.test(path))) continue;
    if (OPENED.has(path)) found.push(...differences((a ?? {}) as Fields, (b ?? {}) as Fields, path));
    else found.push(path);
  }
  return found;
}

/** Fields whose parts are told apart; the whole of the others is one field to a reader. */
const OPENED: ReadonlySet<string> = new Set([
  'domain',
  'domain.cpu',
  'domain.memory',
  'domain.resources',
  'domain.devices',
]);
const GROWS: ReadonlySet<string> = new Set(['domain.cpu.maxSockets', 'domain.memory.maxGuest']);
/** A start on request may have set it, and it means nothing to a machine that has started. */
const ONLY_AT_START = 'startStrategy';
/** What a field that is left out stands for. */
const STANDARD: Fields = {
  'domain.cpu.sockets': 1,
  'domain.cpu.cores': 1,
  'domain.cpu.threads': 1,
  terminationGracePeriodSeconds: 30,
};

const AMOUNTS = /^domain\.(memory\.(guest|maxGuest)|resources\.(requests|limits))$/;

/** Equal as JSON; an empty list is none at all, and an amount may be written in several ways. */
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
