import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { writePrivateFile } from '#platform/kube/kubeconfig/private-file';
import { StoreError } from './store-error.ts';

const FORM = /^vimana-store-head\/1 (\d{16}) ([0-9a-f]{8})\n$/;

/** Formats a head: always of the same length, so that one can overwrite another. */
function textOf(revision: number): string {
  const content = `vimana-store-head/1 ${String(revision).padStart(16, '0')}`;
  return `${content} ${crc32(content).toString(16).padStart(8, '0')}\n`;
}

/**
 * Records beside a store's data that there is data, and its minimum revision. Data that was emptied, or reset to an
 * earlier state, is intact in itself, so that only something outside of it can reveal that.
 */
export class StoreHead {
  readonly #path: string;
  #fd: number | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns the revision that the data must have reached; undefined if nothing was ever stored. */
  read(): number | undefined {
    let text: string;
    try {
      text = readFileSync(this.#path, 'latin1');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    const revision = Number(FORM.exec(text)?.[1]);
    if (Number.isSafeInteger(revision) && textOf(revision) === text) return revision;
    throw new StoreError('Corrupt', `${this.#path} is damaged: its checksum does not match`);
  }

  /** Writes the head to disk durably. */
  create(revision: number): void {
    this.close();
    writePrivateFile(this.#path, textOf(revision));
  }

  /**
   * Overwrites the head once the data has reached a revision. It is not flushed: a stale head says less, but nothing
   * wrong. A failed write is equally harmless.
   */
  advance(revision: number): void {
    try {
      // Overwriting a deleted file would succeed without anyone ever finding it.
      if (!existsSync(this.#path)) this.create(revision);
      this.#fd ??= openSync(this.#path, 'r+');
      writeSync(this.#fd, textOf(revision), 0, 'latin1');
    } catch {
      this.close();
    }
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}
