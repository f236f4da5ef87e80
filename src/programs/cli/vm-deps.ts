import type { Clock } from '#platform/base/clock';
import type { Random } from '#platform/base/random';
import type { Connect } from './connection.ts';
import type { Io } from './io.ts';

/** Dependencies of the commands on VMs and what belongs to them. */
export interface VmDeps {
  readonly io: Io;
  readonly connect: Connect;
  readonly clock: Clock;
  /** Aborted when the user interrupts the command. */
  readonly signal: AbortSignal;
  /** Source of generated names. */
  readonly random: Random;
}
