import type { TypeMeta } from './protobuf/protobuf.ts';

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

/** Format to which JSON text is converted. */
export type Encoding = 'yaml' | 'pretty' | 'protobuf';

/** One piece of a response. It has only text, because copying objects to another thread takes as long as a parse. */
export type EncodingJob =
  | { readonly task: 'object'; readonly format: Encoding; readonly text: string }
  | {
      readonly task: 'items';
      readonly format: Encoding;
      readonly texts: readonly string[];
      /** Prefix that every text lacks. */
      readonly opening: string;
      /** Type of the list. */
      readonly list: TypeMeta;
    }
  | { readonly task: 'watch event'; readonly text: string };

/** Converts between JSON text and other formats without delaying others. */
export interface Encoder {
  /** Encodes a piece for a flow. Returns undefined if its kind has no such format. */
  encode(job: EncodingJob, flow?: string): Promise<Uint8Array | undefined>;
  /** Decodes a protobuf body to JSON text. Rejects with a ParseError if it is invalid. */
  decode(body: Uint8Array, expected: TypeMeta, flow?: string): Promise<string>;
  close(): Promise<void>;
}

/** Defines how to read long text without delaying others. */
export interface LongWork {
  /** Lets others run before more work is done. */
  readonly pause: () => Promise<void>;
  readonly readYaml: (text: string) => Promise<YamlText>;
  readonly decodeProtobuf: (body: Uint8Array, expected: TypeMeta) => Promise<string>;
}
