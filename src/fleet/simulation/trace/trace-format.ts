import type { TraceProblems } from './problems.ts';
import type { TraceVms } from './trace-vms.ts';

/** Size that normalized amounts of a trace refer to: its largest machine. */
export interface TraceFormatVm {
  readonly cores: number;
  readonly memoryGi: number;
}

export interface TraceContext {
  readonly vms: TraceVms;
  readonly machine: TraceFormatVm;
  readonly problems: TraceProblems;
}

/** Line of a trace file with its place. */
export interface TraceLine {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** Format of published traces. Each line is read on its own, so that files of any size can be imported. */
export interface TraceFormat {
  readonly id: string;
  /** Reads a line of the file with VMs: their sizes, starts and ends. */
  readonly readVm: (line: TraceLine, context: TraceContext) => void;
  /** Reads a line of a file with their usage. */
  readonly readUsage: (line: TraceLine, context: TraceContext) => void;
}
