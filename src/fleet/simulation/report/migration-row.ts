import type { Migration } from '../runner/migrator.ts';
import { roundTo6 } from './sample.ts';

/** Migration as it is written to files. Times are seconds from the start. */
export interface MigrationRow {
  readonly t: number;
  readonly vm: string;
  readonly from: string;
  readonly wanted: string;
  readonly to: string;
  readonly cause: string;
  readonly transfer_seconds: number;
  readonly down_seconds: number;
  readonly ended: number;
  readonly error: string;
}

export function migrationRow(
  { begunAt, endedAt, transferMs, downMs, ...move }: Migration,
  start: number,
): MigrationRow {
  const { vm, from, desired, to, cause, error } = move;
  return {
    t: roundTo6((begunAt - start) / 1000),
    vm,
    from,
    wanted: desired,
    to,
    cause,
    transfer_seconds: roundTo6(transferMs / 1000),
    down_seconds: roundTo6(downMs / 1000),
    ended: roundTo6((endedAt - start) / 1000),
    error,
  };
}
