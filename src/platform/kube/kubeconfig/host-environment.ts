import type { Clock } from '#platform/base/clock';

/** Program to run, with its whole environment. */
export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Lets the program prompt the user at the terminal. */
  readonly interactive: boolean;
}

/** Everything that a kubeconfig depends on besides its text. Nothing else is read. */
export interface HostEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Pick<Clock, 'now'>;
  /** Reports whether standard input is a terminal. */
  readonly terminal: boolean;
  /** Reads a text file; rejects with the system's error (ENOENT, EACCES). */
  readonly readFile: (path: string) => Promise<string>;
  /**
   * Runs a program to completion and passes its standard error through. Rejects with ENOENT if the program does not
   * exist.
   */
  readonly run: (command: Command) => Promise<{ readonly code: number; readonly stdout: string }>;
}
