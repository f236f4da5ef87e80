/** One step of a CI run, such as a group of test files. */
export interface Part {
  readonly name: string;
  readonly command: readonly string[];
  /** It runs vitest, whose results are recorded file by file. */
  readonly tests?: true;
  /** Test files, appended to the command. Without them, it runs all files of its config. */
  readonly files?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Minutes that it takes on a fresh host of two cores. It is skipped if fewer are left. */
  readonly minutes: number;
  /** It is never skipped, being cut short is a failure, and nothing runs after its failure. */
  readonly required?: true;
  /** Failed files get a second run: they share the cores of the host with a whole cluster. */
  readonly retries?: true;
  /** The part that must have passed before this one, because this one uses what it builds. */
  readonly after?: string;
  /** Exit status that means that the host lacks something, and what it lacks. */
  readonly lacks?: { readonly status: number; readonly what: string };
}

/** Result of a test file. */
export interface FileResult {
  readonly file: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly passed: number;
  readonly failed: readonly string[];
  /** Number of skipped tests by the reason given for each. */
  readonly skipped: Readonly<Record<string, number>>;
}

/** Result of a run of a command. */
export interface Run {
  /** Exit status, or undefined if time ran out. */
  readonly status: number | undefined;
  readonly files: readonly FileResult[];
}

export interface Outcome {
  readonly part: string;
  /** Whether nothing else runs if it failed. */
  readonly required: boolean;
  readonly state: 'passed' | 'failed' | 'skipped' | 'cut short';
  /** Reason why it was skipped or failed. */
  readonly why?: string;
  readonly seconds: number;
  readonly files: readonly FileResult[];
  /** Files that failed and then passed. */
  readonly retried: readonly string[];
  /** Files that were not run to their end. */
  readonly unfinished: readonly string[];
}
