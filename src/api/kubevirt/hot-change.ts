/** Conditions of an instance whose machine is not yet of the size that its spec asks for, as KubeVirt names them. */
const HOT_VCPU_CHANGE = 'HotVCPUChange';
const HOT_MEMORY_CHANGE = 'HotMemoryChange';

/** Which fields of the spec they speak of. */
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
  /** Why the machine cannot move; absent where it can. */
  readonly obstacle?: { readonly reason: string; readonly message: string } | undefined;
  /** What the instance says so far. */
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
  /** True: a migration brings it. False: only the next start can. */
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** They had come before fewer were asked for. */
const SOCKETS_STAY = {
  reason: 'RestartRequired',
  message: 'sockets are not taken out of a machine that runs: it takes effect with its next start',
};

/** What is said of a machine that is to be of another size: it changes with a move to a launcher that asks for as much. */
export function hotChanges({ has, asks, obstacle, status }: HotChangeFacts): HotChange[] {
  const types = [
    ...(has.sockets === asks.sockets ? [] : [HOT_VCPU_CHANGE]),
    ...(has.memoryBytes === asks.memoryBytes ? [] : [HOT_MEMORY_CHANGE]),
  ];
  return types.map((type) => {
    if (type === HOT_VCPU_CHANGE && asks.sockets < has.sockets) return { type, status: 'False', ...SOCKETS_STAY };
    if (obstacle === undefined) return { type, status: 'True', ...progress(type, status) };
    const message = `it would take a migration: ${obstacle.message}`;
    return { type, status: 'False', reason: obstacle.reason, message };
  });
}

/** A migration that failed before the change was asked for has nothing to do with it. */
function progress(type: string, { conditions = [], migrationState }: Told = {}) {
  const since = conditions.find((condition) => condition.type === type)?.lastTransitionTime ?? undefined;
  const { failed = false, failureReason = '', endTimestamp } = migrationState ?? {};
  return failed && since !== undefined && (endTimestamp ?? '') >= since
    ? { reason: 'MigrationFailed', message: `the last migration failed: ${failureReason}` }
    : { reason: 'MigrationRequired', message: 'it takes effect with a migration to a launcher that asks for as much' };
}
