import { createHash, type Hash } from 'node:crypto';

/** Expected digest of a file. */
export interface Checksum {
  readonly algorithm: 'md5' | 'sha256' | 'sha512';
  /** Hexadecimal digits in lower case. */
  readonly hex: string;
}

/** Parses `algorithm:hex`. Returns undefined if it is malformed or of another algorithm. */
export function parseChecksum(text: string): Checksum | undefined {
  const [, algorithm = '', hex = ''] = /^(md5|sha256|sha512):([0-9a-f]+)$/.exec(text.toLowerCase()) ?? [];
  const length = { md5: 32, sha256: 64, sha512: 128 }[algorithm];
  return length === hex.length ? { algorithm: algorithm as Checksum['algorithm'], hex } : undefined;
}

export const formatChecksum = ({ algorithm, hex }: Checksum) => `${algorithm}:${hex}`;

/** Computes the digests of a file while it is received: always SHA-256, and that of an expected checksum. */
export class ContentHash {
  readonly #sha256 = createHash('sha256');
  readonly #expected: Checksum | undefined;
  readonly #other: Hash | undefined;
  #bytes = 0;

  constructor(expected: Checksum | undefined) {
    this.#expected = expected;
    const { algorithm = 'sha256' } = expected ?? {};
    this.#other = algorithm === 'sha256' ? undefined : createHash(algorithm);
  }

  get bytes(): number {
    return this.#bytes;
  }

  update(chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength;
    this.#sha256.update(chunk);
    this.#other?.update(chunk);
  }

  /** Returns the SHA-256 in hexadecimal, and whether the expected checksum matches. */
  finish(): { readonly sha256: string; readonly matches: boolean } {
    const sha256 = this.#sha256.digest('hex');
    const found = this.#other?.digest('hex') ?? sha256;
    return { sha256, matches: this.#expected === undefined || this.#expected.hex === found };
  }
}
