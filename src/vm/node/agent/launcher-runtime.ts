import type { Duplex } from 'node:stream';
import { COMPUTE_CONTAINER, CREATED_BY_LABEL } from '#api/launcher';
import type { Pod } from '#platform/kube/kinds/pod';
import { KubeError } from '#platform/kube/kube-error';
import type {
  AttachRequest,
  ContainerLog,
  ExecRequest,
  ExecResult,
  LogRequest,
  NodeRuntime,
} from '#platform/kube/node-runtime';
import type { ContainerLogs } from './container-logs.ts';
import type { InstancePlace, NodeGuests } from './node-guests.ts';
import { isLauncher } from './role.ts';

/**
 * Serves what kubectl does with a launcher pod: its log is the serial log of the guest, its terminal the serial console,
 * its commands run in the guest, and its ports are those of the guest.
 */
export class LauncherRuntime implements NodeRuntime {
  readonly #guests: NodeGuests;
  readonly #logs: ContainerLogs;

  constructor(guests: NodeGuests, logs: ContainerLogs) {
    this.#guests = guests;
    this.#logs = logs;
  }

  async logs(request: LogRequest): Promise<ContainerLog | undefined> {
    const { pod, container, previous, signal, follow } = request;
    if (!isLauncher(pod) || container !== COMPUTE_CONTAINER || previous) return this.#logs.read(request);
    const log = await this.#guests.consoleLog(placeOf(pod), signal);
    // Before the machine starts and after its end, the log is what the node agent says.
    if (log === undefined) return this.#logs.read(request);
    return follow ? log : { lines: log.lines };
  }

  async attach({ pod, stdin }: AttachRequest): Promise<Duplex> {
    return await this.#guests.open(guestOf(pod, 'attach'), 'console', { input: stdin });
  }

  async exec({ pod, command, tty, stdin, signal }: ExecRequest): Promise<ExecResult> {
    const place = guestOf(pod, 'exec');
    if (tty) {
      const why = 'the guest agent runs commands without a terminal: leave out -t, or use kubectl attach';
      throw new KubeError(501, 'NotImplemented', `exec with a terminal is not supported: ${why}`);
    }
    const input = await stdin?.();
    return await this.#guests.exec(place, { command, signal, ...(input === undefined ? {} : { input }) });
  }

  async connect(pod: Pod, port: number): Promise<Duplex> {
    return await this.#guests.connect(guestOf(pod, 'portforward'), port);
  }
}

/** Returns the instance of a launcher pod, and rejects other pods by name, since those are only simulated. */
function guestOf(pod: Pod, what: string): InstancePlace {
  if (isLauncher(pod)) return placeOf(pod);
  const { name = '' } = pod.metadata;
  throw new KubeError(501, 'NotImplemented', `pods/${what} is not supported for pod "${name}", which is simulated`);
}

function placeOf({ metadata, spec }: Pod): InstancePlace {
  const { name = '', labels } = metadata;
  const place = { metadata: { name, uid: labels?.[CREATED_BY_LABEL] ?? '' } };
  return { ...place, status: { nodeName: spec.nodeName ?? '' } };
}
