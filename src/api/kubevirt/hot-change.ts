/** KubeVirt's conditions of an instance whose machine does not have the requested size yet. */
const HOT_VCPU_CHANGE = 'HotVCPUChange';
const HOT_MEMORY_CHANGE = 'HotMemoryChange';

/** Field of the spec that each condition is about. */
export const HOT_CHANGES: ReadonlyMap<string, string> = new Map([
  [HOT_VCPU_CHANGE, 'domain.cpu.sockets'],
  [HOT_MEMORY_CHANGE, 'domain.memory.guest'],
]);

interface Size {
  readonly sockets: number;
  readonly memoryBytes: number;
}

export interface HotChangeFacts {
  readonly has: Size;
  readonly asks: Size;
  /** Reason why the machine cannot be migrated. Absent if it can. */
  readonly obstacle?: { readonly reason: string; readonly message: string } | undefined;
  /** Current status of the instance. */
  readonly status: Told | undefined;
}

interface Told {
  readonly conditions?: readonly { readonly type: string; readonly lastTransitionTime?: string | null }[];
  readonly migrationState?: {
    readonly failed?: boolean;
    readonly failureReason?: string;
    readonly endTimestamp?: string | null;
  };
}

export interface HotChange {
  readonly type: string;
  /** True if a migration will apply the change, and False if only the next start can. */
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** Sockets cannot be unplugged after they were added. */
const SOCKETS_STAY = {
  reason: 'RestartRequired',
  message: 'sockets cannot be removed from a running VM: the change takes effect at its next start',
};

/**
 * Returns the conditions of a machine whose size should change. A migration to a launcher that requests the new size
 * applies it.
 */
export function hotChanges({ has, asks, obstacle, status }: HotChangeFacts): HotChange[] {
  const types = [
    ...(has.sockets === asks.sockets ? [] : [HOT_VCPU_CHANGE]),
    ...(has.memoryBytes === asks.memoryBytes ? [] : [HOT_MEMORY_CHANGE]),
  ];
  return types.map((type) => {
    if (type === HOT_VCPU_CHANGE && asks.sockets < has.sockets) return { type, status: 'False', ...SOCKETS_STAY };
    if (obstacle === undefined) return { type, status: 'True', ...progress(type, status) };
    const message = `the change requires a migration: ${obstacle.message}`;
    return { type, status: 'False', reason: obstacle.reason, message };
  });
}

/** Returns the progress. A migration that failed before the change was requested does not count. */
function progress(type: string, { conditions = [], migrationState }: Told = {}) {
  const since = conditions.find((condition) => condition.type === type)?.lastTransitionTime ?? undefined;
  const { failed = false, failureReason = '', endTimestamp } = migrationState ?? {};
  return failed && since !== undefined && (endTimestamp ?? '') >= since
    ? { reason: 'MigrationFailed', message: `the last migration failed: ${failureReason}` }
    : { reason: 'MigrationRequired', message: 'the change takes effect with a migration to a launcher with this size' };
}
