import type { Vmi, Vmim } from '#api/kubevirt/resources';
import type { Context } from '#platform/runtime/controller';
import { Expectation } from '#platform/runtime/expectation';

/** Everything that the controller remembers of one migration between reconciliations. */
export class MigrationEntry {
  /** Writes to pods and to the instance that the caches may not show yet. */
  readonly podWrites = new Expectation();
  readonly instanceWrites = new Expectation();
}

/** One migration in one reconciliation. */
export interface MigrationScope {
  readonly vmim: Vmim;
  readonly vmi: Vmi | undefined;
  readonly entry: MigrationEntry;
  readonly context: Context;
}
