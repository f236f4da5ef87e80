/** Result of a run: succeeded, failed, or requeued without a new event. */
export type RunResult = 'success' | 'error' | 'requeue';

/** Receives the events of a work queue. It is called for every key, so it must be cheap. */
export interface QueueMetrics {
  added(): void;
  /** Records a key that waits for a retry because its run failed. */
  retried(): void;
  /** Records the start of work on a key. */
  started(waitedSeconds: number): void;
  finished(result: RunResult, seconds: number): void;
}
