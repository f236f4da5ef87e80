/** What a command may touch of the world, handed in so that a test can be the terminal. */
export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** The text of a file, or of standard input for `-`. Throws with the system's reason. */
  read(path: string): string;
  /** The manifest files below a folder, sorted; the path itself where it is no folder. */
  manifestsAt(path: string): readonly string[];
  /** Asks the person at the terminal; there only where input and output are both one. Throws where no answer comes. */
  readonly ask?: (question: string) => Promise<string>;
}
