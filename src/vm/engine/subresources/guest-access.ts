import type { Duplex } from 'node:stream';
import type { Vmi } from '#api/kubevirt/resources';

/**
 * Access to the guests of running instances, through the node agents that can be reached. Every method rejects with a
 * KubeError that names what is missing.
 */
export interface GuestAccess {
  /** Connects to the serial console or the screen. */
  open(instance: Vmi, what: 'console' | 'vnc'): Promise<Duplex>;
  /** Connects to a TCP port of the guest. */
  connect(instance: Vmi, port: number): Promise<Duplex>;
}
