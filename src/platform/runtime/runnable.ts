/** Something that goes on until it is told to stop. */
export interface Runnable {
  readonly name: string;
  /** Settles when all is put away after the signal; rejects where it cannot go on. Runs once. */
  run(signal: AbortSignal): Promise<void>;
}
