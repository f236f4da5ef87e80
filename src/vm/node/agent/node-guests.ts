import type { Duplex } from 'node:stream';
import type { Vmi } from '#api/kubevirt/resources';
import { KubeError } from '#platform/kube/kube-error';
import type { ContainerLog, ExecResult } from '#platform/kube/node-runtime';
import {
  type ConsoleOptions,
  GuestAgentError,
  type GuestCommand,
  GuestConnectionError,
  type GuestReport,
  InvalidStateError,
  isAlive,
  type MachineDriver,
  MachineNotFoundError,
} from '../machine-driver.ts';
import { NotSupportedError } from '../not-supported-error.ts';
import type { ManagedNodes } from './managed-node.ts';

/** Identifies an instance, and the node that runs it. */
export interface InstancePlace {
  readonly metadata: Pick<Vmi['metadata'], 'name' | 'uid'>;
  readonly status?: { readonly nodeName?: string };
}

/** Access to the guests on the nodes of one node agent. Every method rejects with a KubeError. */
export class NodeGuests {
  readonly #hosts: ManagedNodes;

  constructor(hosts: ManagedNodes) {
    this.#hosts = hosts;
  }

  async open(instance: InstancePlace, what: 'console' | 'vnc', options?: ConsoleOptions): Promise<Duplex> {
    return await this.#on(instance, (driver, id) => driver.open(id, what, options));
  }

  async screenshot(instance: InstancePlace): Promise<Uint8Array> {
    return await this.#on(instance, (driver, id) => driver.screenshot(id));
  }

  async report(instance: InstancePlace): Promise<GuestReport> {
    return await this.#on(instance, async (driver, id) => await (await driver.guestAgent(id)).report());
  }

  async exec(instance: InstancePlace, command: GuestCommand): Promise<ExecResult> {
    return await this.#on(instance, async (driver, id) => await (await driver.guestAgent(id)).exec(command));
  }

  /** Freezes or thaws all file systems of the guest. */
  async setFrozen(instance: InstancePlace, frozen: boolean): Promise<void> {
    await this.#on(instance, async (driver, id) => {
      const agent = await driver.guestAgent(id);
      await (frozen ? agent.freeze() : agent.thaw());
    });
  }

  /** Returns the console log of a machine, or undefined if it has none. */
  async consoleLog(instance: InstancePlace, signal: AbortSignal): Promise<ContainerLog | undefined> {
    const host = this.#hosts.find(instance.status?.nodeName ?? '');
    if (host?.driver.capabilities().console !== true) return undefined;
    const machine = await host.driver.inspect(instance.metadata.uid);
    return isAlive(machine) ? await this.#on(instance, (driver, id) => driver.consoleLog(id, signal)) : undefined;
  }

  async connect(instance: InstancePlace, port: number): Promise<Duplex> {
    return await this.#on(instance, (driver, id) => driver.connect(id, port));
  }

  /** Calls the driver of an instance with the ID of its machine. */
  async #on<T>(
    { metadata, status }: InstancePlace,
    call: (driver: MachineDriver, id: string) => Promise<T>,
  ): Promise<T> {
    const node = status?.nodeName ?? '';
    const host = this.#hosts.find(node);
    if (host === undefined) {
      throw new KubeError(
        501,
        'NotImplemented',
        `node "${node}" is not managed by this process, and cannot be reached`,
      );
    }
    try {
      return await call(host.driver, metadata.uid);
    } catch (error) {
      throw kubeErrorOf(error, metadata.name);
    }
  }
}

/** Converts an error of a driver into the response of an API server. */
function kubeErrorOf(error: unknown, name: string): unknown {
  if (error instanceof NotSupportedError) return new KubeError(501, 'NotImplemented', error.message);
  if (error instanceof MachineNotFoundError || error instanceof InvalidStateError) {
    const what = `virtualmachineinstance.kubevirt.io "${name}"`;
    return new KubeError(409, 'Conflict', `Operation cannot be fulfilled on ${what}: ${error.message}`);
  }
  if (error instanceof GuestAgentError) return new KubeError(409, 'Conflict', error.message);
  if (error instanceof GuestConnectionError) return new KubeError(500, 'InternalError', error.message);
  return error;
}
