import { expect } from 'vitest';
import type { Capabilities, MachineDriver } from '../machine-driver.ts';
import type { MachineSpec } from '../machine-spec.ts';
import { NotSupportedError } from '../not-supported-error.ts';

/**
 * Guests that the contract needs: one that does as it is told, one that ignores it, some that end by themselves, and one
 * that writes to its memory faster than the network between the nodes can send.
 */
export type GuestKind = 'plain' | 'deaf' | 'leaving' | 'crashing' | 'busy';

export interface DriversUnderTest {
  /** Two nodes that reach each other. */
  readonly here: MachineDriver;
  readonly there: MachineDriver;
  /** A machine with one disk named `root` that can be written. */
  readonly spec: (id: string, guest?: GuestKind) => MachineSpec;
  /** Lets time pass until something holds; fails where it never does. */
  readonly until: (check: () => Promise<boolean>) => Promise<void>;
  /** What the guest reads from and writes to its disk, where the test can make it. */
  readonly disk?: {
    read(driver: MachineDriver, id: string): Promise<string>;
    write(driver: MachineDriver, id: string, content: string): Promise<void>;
  };
  /** The same machine whose disk is a claim, where the test can make one. */
  readonly claimed?: { readonly claim: string; readonly spec: (id: string) => MachineSpec };
}

export const stateOf = async (driver: MachineDriver, id: string) => (await driver.inspect(id))?.state;
export const endOf = async (driver: MachineDriver, id: string) => (await driver.inspect(id))?.ended?.reason;

/** Runs a test where the driver can do something, and holds it to refusing by name where it cannot. */
export async function whereAble(
  driver: MachineDriver,
  capability: keyof Capabilities,
  attempt: () => Promise<unknown>,
  check: () => Promise<void>,
): Promise<void> {
  if (driver.capabilities()[capability]) return await check();
  const refusal: unknown = await attempt().catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(NotSupportedError);
}
