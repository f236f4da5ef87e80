import { expect } from 'vitest';
import type { Capabilities, MachineDriver } from '../machine-driver.ts';
import type { MachineSpec } from '../machine-spec.ts';
import { NotSupportedError } from '../not-supported-error.ts';

/**
 * Guests for the contract: one that obeys, one that ignores requests, some that end by themselves, and one that writes
 * memory faster than the network between the nodes can send.
 */
export type GuestKind = 'plain' | 'deaf' | 'leaving' | 'crashing' | 'busy';

export interface DriversUnderTest {
  /** Drivers of two nodes that reach each other. */
  readonly here: MachineDriver;
  readonly there: MachineDriver;
  /** Returns a machine with one writable disk named `root`. */
  readonly spec: (id: string, guest?: GuestKind) => MachineSpec;
  /** Advances the time until a condition holds. Fails if it never does. */
  readonly until: (check: () => Promise<boolean>) => Promise<void>;
  /** Reads and writes the disk as the guest would, if the test supports it. */
  readonly disk?: {
    read(driver: MachineDriver, id: string): Promise<string>;
    write(driver: MachineDriver, id: string, content: string): Promise<void>;
  };
  /** Machine with user data, and what its guest prints on the console because of it, if the guest is real. */
  readonly seeded?: { readonly spec: (id: string) => MachineSpec; readonly output: string };
  /** Same machine with a claim as its disk, if the test supports it. */
  readonly claimed?: { readonly claim: string; readonly spec: (id: string) => MachineSpec };
}

/** Creates the drivers for one test. */
export type CreateDrivers = () => DriversUnderTest | Promise<DriversUnderTest>;

export const stateOf = async (driver: MachineDriver, id: string) => (await driver.inspect(id))?.state;
export const endOf = async (driver: MachineDriver, id: string) => (await driver.inspect(id))?.ended?.reason;

/** Runs a test if the driver has the feature, and otherwise expects it to be rejected by name. */
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
