import type { Clock } from '#platform/base/clock';

/** A program to run, with its whole environment. */
export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Whether it may ask the person at the terminal. */
  readonly interactive: boolean;
}

/** What a kubeconfig depends on besides its text; nothing else is read. */
export interface HostEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Pick<Clock, 'now'>;
  /** Whether a person sits at standard input. */
  readonly terminal: boolean;
  /** Reads a text file; rejects with the system's error (ENOENT, EACCES). */
  readonly readFile: (path: string) => Promise<string>;
  /** Runs a program to its end, its complaints going where ours go. Rejects with ENOENT where there is no such program. */
  readonly run: (command: Command) => Promise<{ readonly code: number; readonly stdout: string }>;
}
