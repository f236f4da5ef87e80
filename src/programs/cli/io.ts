import type { Readable, Writable } from 'node:stream';

/** Standard input and output as streams of bytes. */
export interface TerminalStreams {
  readonly input: Readable;
  readonly output: Writable;
  /** Passes every key to the program at once, also Ctrl-C. Does nothing if the input is not a terminal. */
  readonly setRaw: (raw: boolean) => void;
}

/** Terminal and files of a command, injected so that a test can replace them. */
export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether to color what is written to each stream. Defaults to no. */
  readonly colors?: { readonly out: boolean; readonly err: boolean };
  /** Reads a file, or standard input for `-`. Throws with the system's reason. */
  read(path: string): string;
  /** Lists the manifest files below a directory, sorted. Returns the path itself if it is not a directory. */
  manifestsAt(path: string): readonly string[];
  /** Replaces the last line of standard error. Present only if that is a terminal. */
  readonly rewrite?: (text: string) => void;
  /** Standard input and output for sessions with a guest. */
  readonly streams?: TerminalStreams;
  /** Prompts the user. Present only if input and output are both terminals; throws if no answer comes. */
  readonly ask?: (question: string) => Promise<string>;
}
