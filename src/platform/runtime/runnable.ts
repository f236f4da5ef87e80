/** Component that runs until it is stopped. */
export interface Runnable {
  readonly name: string;
  /** Runs once. Resolves after the signal when everything is cleaned up, and rejects if it cannot continue. */
  run(signal: AbortSignal): Promise<void>;
}
