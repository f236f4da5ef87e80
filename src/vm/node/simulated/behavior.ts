import { parseDuration } from '#platform/base/duration';
import { parseQuantity, value } from '#platform/base/quantity';

/**
 * Behavior of pods and guests on simulated nodes, set by annotations. Those of a VirtualMachineInstance take precedence
 * over those of its launcher pod. All times are durations (90s, 1h30m). An invalid value is reported in an event and
 * ignored.
 *
 * | annotation | object | value | effect |
 * |---|---|---|---|
 * | vimana.io/start-delay | pod, VMI | duration, default 0s | time between binding and running |
 * | vimana.io/start-jitter | pod, VMI | duration | upper bound of that time, which is random from start-delay on |
 * | vimana.io/fail | pod, VMI | image-pull, crash, oom | the image pull, the first container, or the guest fails |
 * | vimana.io/fail-after | pod, VMI | duration, default 0s | time between running and crash or oom |
 * | vimana.io/fail-times | pod, VMI | number, default always | failures before it succeeds; a VMI fails at most once |
 * | vimana.io/complete-after | pod, VMI | duration | run time after which containers, or the guest, end by themselves |
 * | vimana.io/exit-code | pod | number, default 0 | exit code of containers that complete |
 * | vimana.io/shutdown-duration | pod, VMI | duration or never, default 0s | stop duration, up to the grace period |
 * | vimana.io/boot-time | VMI | duration, default 0s | time between the machine running and its guest responding |
 * | vimana.io/guest-agent | VMI | true, false, default true | the guest has a guest agent |
 * | vimana.io/readiness | pod, VMI | true, false, default true | result of the readiness probe |
 * | vimana.io/liveness | pod, VMI | true, false, default true | result of the liveness probe |
 * | vimana.io/dirty-rate | VMI | bytes per second, default 0 | rate at which the guest writes memory, for migrations |
 * | vimana.io/memory-utilization | VMI | ratio, default 0.05 | part of the memory that a migration must send |
 * | vimana.io/cpu-profile | pod | see usage | CPU in use over time |
 * | vimana.io/memory-profile | pod | see usage | memory in use over time |
 * | vimana.io/guest-write | pod, VMI | see guest-write | the guest writes to its disks, once for each value |
 * | vimana.io/freeze | Node | true | the node agent does nothing, and renews no Lease, until it is removed |
 */
export interface Behavior {
  readonly startDelayMs: number;
  readonly startJitterMs: number;
  readonly fail?: 'image-pull' | 'crash' | 'oom';
  readonly failAfterMs: number;
  readonly failTimes: number;
  readonly completeAfterMs?: number;
  readonly exitCode: number;
  /** Infinity means never. */
  readonly shutdownMs: number;
  readonly bootMs: number;
  readonly guestAgent: boolean;
  readonly ready: boolean;
  readonly alive: boolean;
  readonly dirtyRate: number;
  readonly memoryUtilization: number;
}

export interface BehaviorProblem {
  readonly annotation: string;
  readonly message: string;
}

const PREFIX = 'vimana.io/';

export const PLAIN: Behavior = {
  startDelayMs: 0,
  startJitterMs: 0,
  failAfterMs: 0,
  failTimes: Number.POSITIVE_INFINITY,
  exitCode: 0,
  shutdownMs: 0,
  bootMs: 0,
  guestAgent: true,
  ready: true,
  alive: true,
  dirtyRate: 0,
  memoryUtilization: 0.05,
};

type Reader = (text: string) => Partial<Behavior>;

const READERS: Readonly<Record<string, Reader>> = {
  'start-delay': (text) => ({ startDelayMs: duration(text) }),
  'start-jitter': (text) => ({ startJitterMs: duration(text) }),
  fail: (text) => ({ fail: oneOf(text, ['image-pull', 'crash', 'oom']) }),
  'fail-after': (text) => ({ failAfterMs: duration(text) }),
  'fail-times': (text) => ({ failTimes: number(text, 0, Number.MAX_SAFE_INTEGER) }),
  'complete-after': (text) => ({ completeAfterMs: duration(text) }),
  'exit-code': (text) => ({ exitCode: number(text, 0, 255) }),
  'shutdown-duration': (text) => ({ shutdownMs: text === 'never' ? Number.POSITIVE_INFINITY : duration(text) }),
  'boot-time': (text) => ({ bootMs: duration(text) }),
  'guest-agent': (text) => ({ guestAgent: truth(text) }),
  readiness: (text) => ({ ready: truth(text) }),
  liveness: (text) => ({ alive: truth(text) }),
  'dirty-rate': (text) => ({ dirtyRate: value(parseQuantity(text)) }),
  'memory-utilization': (text) => ({ memoryUtilization: share(text) }),
};

const OURS: readonly (readonly [annotation: string, read: Reader])[] = Object.entries(READERS).map(([name, read]) => [
  PREFIX + name,
  read,
]);

/** Parses the behavior. For each setting, the first source that has it takes precedence. */
export function behaviorOf(...sources: readonly (Readonly<Record<string, string>> | undefined)[]): Behavior {
  return readBehavior(...sources).behavior;
}

export function readBehavior(...sources: readonly (Readonly<Record<string, string>> | undefined)[]): {
  readonly behavior: Behavior;
  readonly problems: readonly BehaviorProblem[];
} {
  if (!sources.some(hasBehaviorAnnotation)) return DEFAULT_RESULT;
  const problems: BehaviorProblem[] = [];
  const said: Partial<Behavior> = {};
  for (const [annotation, read] of OURS) {
    const text = sources.map((source) => source?.[annotation]).find((given) => given !== undefined);
    if (text === undefined) continue;
    try {
      Object.assign(said, read(text));
    } catch (error) {
      problems.push({
        annotation,
        message: `${annotation} cannot be ${JSON.stringify(text)}: ${(error as Error).message}`,
      });
    }
  }
  return { behavior: { ...PLAIN, ...said }, problems };
}

const DEFAULT_RESULT = { behavior: PLAIN, problems: [] };

function hasBehaviorAnnotation(annotations: Readonly<Record<string, string>> | undefined): boolean {
  for (const name in annotations) {
    if (name.startsWith(PREFIX) && Object.hasOwn(READERS, name.slice(PREFIX.length))) return true;
  }
  return false;
}

function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms < 0) throw new RangeError(`"${text}" is negative`);
  return ms;
}

function number(text: string, min: number, max: number): number {
  const read = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (!(read >= min && read <= max)) throw new RangeError(`"${text}" is not a whole number from ${min} to ${max}`);
  return read;
}

function truth(text: string): boolean {
  return oneOf(text, ['true', 'false']) === 'true';
}

function share(text: string): number {
  const read = /^[0-9]*\.?[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (!(read >= 0 && read <= 1)) throw new RangeError(`"${text}" is not a number from 0 to 1`);
  return read;
}

function oneOf<const T extends string>(text: string, known: readonly T[]): T {
  const found = known.find((each) => each === text);
  if (found === undefined) throw new RangeError(`"${text}" is not one of ${known.join(', ')}`);
  return found;
}
