import type { Duplex } from 'node:stream';
import type { Vmi } from '#api/kubevirt/resources';
import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import type { Clock, Timer } from '#platform/base/clock';
import { isAlive, type Machine, type MachineDriver } from '../machine-driver.ts';
import type { ProbeResponses } from './managed-node.ts';

type Probe = NonNullable<InstanceSpec['readinessProbe']>;

/** Driver that connects to the ports of its guests. */
type PortDriver = MachineDriver & { connect(id: string, port: number): Promise<Duplex> };

const DEFAULT_PERIOD = 10;
const DEFAULT_TIMEOUT = 1;

/** Results of one probe: how often in a row it succeeded or failed. */
interface Streak {
  successes: number;
  failures: number;
}

interface ProbedGuest {
  readonly driver: PortDriver;
  readonly node: string;
  instance: Vmi;
  readonly readiness: Streak;
  readonly liveness: Streak;
  readonly timers: Timer[];
}

export interface RealProbesDeps {
  readonly clock: Clock;
  /** Called when the results of a machine's probes have changed. */
  readonly onChange: (node: string, id: string) => void;
}

/** Returns what the probes of an instance request that cannot be done from outside the guest, by field. */
export function unsupportedProbes({ spec }: Vmi): string[] {
  return (['readinessProbe', 'livenessProbe'] as const).flatMap((name) => {
    const probe = spec[name];
    if (probe === undefined) return [];
    const { httpGet, tcpSocket } = probe;
    const handler = httpGet ?? tcpSocket;
    const fields = [
      ...(['exec', 'guestAgentPing'] as const).filter((each) => probe[each] !== undefined),
      // Another host than the guest is none of its user's business to reach from here.
      ...(handler?.host === undefined ? [] : ['host']),
      ...(handler !== undefined && !Number.isInteger(Number(handler.port)) ? ['port by name'] : []),
      ...(httpGet?.scheme === 'HTTPS' ? ['scheme HTTPS'] : []),
      ...((httpGet?.httpHeaders ?? []).length > 0 ? ['httpHeaders'] : []),
    ];
    return fields.map((field) => `spec.${name}: ${field}`);
  });
}

/** Runs the TCP and HTTP probes of real guests, each in its period while its machine runs. */
export class RealProbes {
  readonly #deps: RealProbesDeps;
  readonly #guests = new Map<string, ProbedGuest>();

  constructor(deps: RealProbesDeps) {
    this.#deps = deps;
  }

  /** Begins to probe a machine, unless that has begun. */
  attend(instance: Vmi, node: string, { spec }: Machine, driver: MachineDriver): void {
    const { readinessProbe, livenessProbe } = instance.spec;
    if ((readinessProbe ?? livenessProbe) === undefined || !hasPorts(driver)) return;
    const known = this.#guests.get(spec.id);
    if (known !== undefined) {
      known.instance = instance;
      return;
    }
    const streak = () => ({ successes: 0, failures: 0 });
    const guest = { driver, node, instance, readiness: streak(), liveness: streak(), timers: [] };
    this.#guests.set(spec.id, guest);
    if (readinessProbe !== undefined) this.#schedule(spec.id, guest, 'readiness', readinessProbe.initialDelaySeconds);
    if (livenessProbe !== undefined) this.#schedule(spec.id, guest, 'liveness', livenessProbe.initialDelaySeconds);
  }

  /** A guest is ready after enough successes, and alive until a probe has failed. The caller counts those failures. */
  answers(instance: Vmi | undefined): ProbeResponses {
    const { readinessProbe, livenessProbe } = instance?.spec ?? {};
    const guest = this.#guests.get(instance?.metadata.uid ?? '');
    const { readiness, liveness } = guest ?? { readiness: undefined, liveness: undefined };
    const needed = readinessProbe?.successThreshold || 1;
    return {
      ready: readinessProbe === undefined || (readiness?.successes ?? 0) >= needed,
      alive: livenessProbe === undefined || (liveness?.failures ?? 0) === 0,
    };
  }

  #schedule(id: string, guest: ProbedGuest, which: 'readiness' | 'liveness', delaySeconds = 0): void {
    guest.timers.push(this.#deps.clock.timer(delaySeconds * 1000, () => void this.#run(id, guest, which)));
  }

  async #run(id: string, guest: ProbedGuest, which: 'readiness' | 'liveness'): Promise<void> {
    const probe = guest.instance.spec[`${which}Probe`];
    const machine = await guest.driver.inspect(id);
    if (!isAlive(machine) || probe === undefined) {
      this.#guests.delete(id);
      return;
    }
    // A paused guest is not probed.
    if (machine.state === 'running') {
      const before = this.answers(guest.instance);
      count(guest[which], await this.#succeeds(id, guest.driver, probe), probe);
      const after = this.answers(guest.instance);
      if (before.ready !== after.ready || before.alive !== after.alive) this.#deps.onChange(guest.node, id);
    }
    this.#schedule(id, guest, which, probe.periodSeconds || DEFAULT_PERIOD);
  }

  async #succeeds(id: string, driver: PortDriver, probe: Probe): Promise<boolean> {
    const port = Number((probe.httpGet ?? probe.tcpSocket)?.port ?? 0);
    const timeout = Promise.withResolvers<boolean>();
    const timer = this.#deps.clock.timer((probe.timeoutSeconds || DEFAULT_TIMEOUT) * 1000, () =>
      timeout.resolve(false),
    );
    const connection = driver.connect(id, port);
    try {
      const attempt = connection.then((stream) =>
        probe.httpGet === undefined ? true : isServed(stream, probe.httpGet),
      );
      return await Promise.race([attempt, timeout.promise]);
    } catch {
      return false;
    } finally {
      timer.cancel();
      connection.then(
        (stream) => stream.destroy(),
        () => undefined,
      );
    }
  }
}

function count(streak: Streak, succeeded: boolean, { failureThreshold }: Probe): void {
  streak.failures = succeeded ? 0 : streak.failures + 1;
  // A ready guest stays ready until its probe has failed often enough.
  if (succeeded) streak.successes += 1;
  else if (streak.failures >= (failureThreshold || 3)) streak.successes = 0;
}

function hasPorts(driver: MachineDriver): driver is PortDriver {
  return 'connect' in driver && typeof driver.connect === 'function';
}

/** Sends a request, and reports whether the status is one from 200 to 399. */
async function isServed(stream: Duplex, { path = '/' }: NonNullable<Probe['httpGet']>): Promise<boolean> {
  stream.on('error', () => undefined);
  stream.write(`GET ${encodeURI(path)} HTTP/1.0\r\nUser-Agent: kube-probe/1.36\r\nAccept: */*\r\n\r\n`);
  let head = '';
  for await (const chunk of stream) {
    head += String(chunk);
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
    if (status !== undefined) return Number(status) >= 200 && Number(status) < 400;
    if (head.length > 1024) return false;
  }
  return false;
}
