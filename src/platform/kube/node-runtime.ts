import type { Pod } from './kinds/pod.ts';

/** What an API server asks of those who run pods: of a fleet in the same process, or of nodes elsewhere. */
export interface NodeRuntime {
  /**
   * The log of a container of a pod that is bound to a node; undefined where nothing is known of it. Selecting lines and
   * writing them down is the caller's: what is asked for may be used to read less, and need not.
   */
  logs(request: LogRequest): ContainerLog | undefined | Promise<ContainerLog | undefined>;
}

export interface LogRequest {
  readonly pod: Pod;
  readonly container: string;
  /** The log of the run before the present one. */
  readonly previous: boolean;
  /** Whether lines are wanted as they come. */
  readonly follow: boolean;
  /** No more lines than this of what is there are wanted. */
  readonly tailLines?: number;
  /** Lines before this time, in milliseconds, are not wanted. */
  readonly since?: number;
  /** Aborted when nobody reads any more. */
  readonly signal: AbortSignal;
}

export interface ContainerLog {
  /** What is there, in order. */
  readonly lines: Iterable<LogLine> | AsyncIterable<LogLine>;
  /** What comes after it, until the container ends or the signal is aborted; absent where nothing will. */
  readonly following?: AsyncIterable<LogLine>;
}

export interface LogLine {
  /** In milliseconds. */
  readonly time: number;
  /** Without its end. */
  readonly text: string;
}
