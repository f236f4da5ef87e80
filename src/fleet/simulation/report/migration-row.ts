import type { Migration } from '../play/mover.ts';
import { rounded } from './sample.ts';

/** A migration as files tell of it; times are seconds from the start. */
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
  const { vm, from, wanted, to, cause, error } = move;
  return {
    t: rounded((begunAt - start) / 1000),
    vm,
    from,
    wanted,
    to,
    cause,
    transfer_seconds: rounded(transferMs / 1000),
    down_seconds: rounded(downMs / 1000),
    ended: rounded((endedAt - start) / 1000),
    error,
  };
}
