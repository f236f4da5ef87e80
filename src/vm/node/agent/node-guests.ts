import type { Duplex } from 'node:stream';
import type { Vmi } from '#api/kubevirt/resources';
import { KubeError } from '#platform/kube/kube-error';
import {
  type ConsoleOptions,
  GuestConnectionError,
  InvalidStateError,
  type MachineDriver,
  MachineNotFoundError,
} from '../machine-driver.ts';
import { NotSupportedError } from '../not-supported-error.ts';
import type { ManagedNodes } from './managed-node.ts';

/** Identifies an instance, and the node that runs it. */
export type InstancePlace = Pick<Vmi, 'metadata' | 'status'>;

/** Access to the guests on the nodes of one node agent. Every method rejects with a KubeError. */
export class NodeGuests {
  readonly #hosts: ManagedNodes;

  constructor(hosts: ManagedNodes) {
    this.#hosts = hosts;
  }

  async open(instance: InstancePlace, what: 'console' | 'vnc', options?: ConsoleOptions): Promise<Duplex> {
    return await this.#on(instance, (driver, id) => driver.open(id, what, options));
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
  if (error instanceof GuestConnectionError) return new KubeError(500, 'InternalError', error.message);
  return error;
}
