import type { Duplex } from 'node:stream';
import type { Vmi } from '#api/kubevirt/resources';

/** Report of a guest agent about its guest. */
export interface GuestAgentReport {
  readonly agentVersion: string;
  readonly supportedCommands: readonly string[];
  readonly os: object;
  readonly hostname?: string;
  readonly timezone?: string;
  readonly users: readonly object[];
  readonly fileSystems: readonly object[];
  readonly freezeStatus?: 'thawed' | 'frozen';
}

/**
 * Access to the guests of running instances, through the node agents that can be reached. Every method rejects with a
 * KubeError that names what is missing; its code is 501 for what the runtime of the instance cannot do.
 */
export interface GuestAccess {
  /** Connects to the serial console or the screen. */
  open(instance: Vmi, what: 'console' | 'vnc'): Promise<Duplex>;
  /** Connects to a TCP port of the guest. */
  connect(instance: Vmi, port: number): Promise<Duplex>;
  /** Returns a picture of the screen, as PNG. */
  screenshot(instance: Vmi): Promise<Uint8Array>;
  report(instance: Vmi): Promise<GuestAgentReport>;
  /** Freezes or thaws all file systems of the guest. */
  setFrozen(instance: Vmi, frozen: boolean): Promise<void>;
}
