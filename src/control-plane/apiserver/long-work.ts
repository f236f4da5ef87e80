/** YAML as JSON text. */
export interface YamlText {
  readonly json: string;
  readonly duplicates: readonly string[];
}

/** Reads YAML without delaying others. */
export interface YamlSource {
  /** Reads the first document of a text for a flow. */
  read(text: string, flow?: string): Promise<YamlText>;
  close(): Promise<void>;
}

/** Defines how to read long text without delaying others. */
export interface LongWork {
  /** Lets others run before more work is done. */
  readonly pause: () => Promise<void>;
  readonly readYaml: (text: string) => Promise<YamlText>;
}
