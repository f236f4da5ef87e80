/** What a run came to: done, failed, or to be run again though nothing may have happened. */
export type RunResult = 'success' | 'error' | 'requeue';

/** Told what happens in a work queue; called for every key, so it must cost next to nothing. */
export interface QueueMetrics {
  added(): void;
  /** A key waited for a time because its run failed. */
  retried(): void;
  /** A key has come to its turn. */
  started(waitedSeconds: number): void;
  finished(result: RunResult, seconds: number): void;
}
