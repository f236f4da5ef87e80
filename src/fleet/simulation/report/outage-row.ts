import type { Outage } from '../runner/availability.ts';
import { roundTo6 } from './sample.ts';

/** Outage as it is written to files. Times are seconds from the start. */
export interface OutageRow {
  readonly from: number;
  readonly to: number;
  readonly vm: string;
  readonly node: string;
  readonly cause: string;
  readonly down_seconds: number;
  /** False if the VM was still down when it was deleted or the run ended. */
  readonly recovered: boolean;
}

export function outageRow({ vm, node, cause, from, to, isOver }: Outage, start: number): OutageRow {
  return {
    from: roundTo6((from - start) / 1000),
    to: roundTo6((to - start) / 1000),
    vm,
    node,
    cause,
    down_seconds: roundTo6((to - from) / 1000),
    recovered: isOver,
  };
}
