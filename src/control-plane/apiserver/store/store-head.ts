import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { writePrivateFile } from '#platform/kube/kubeconfig/private-file';
import { StoreError } from './store-error.ts';

const FORM = /^vimana-store-head\/1 (\d{16}) ([0-9a-f]{8})\n$/;

/** The text of a head: always of the same length, so that one can be written over another. */
function textOf(revision: number): string {
  const content = `vimana-store-head/1 ${String(revision).padStart(16, '0')}`;
  return `${content} ${crc32(content).toString(16).padStart(8, '0')}\n`;
}

/**
 * Says beside a store's data that there is data, and the revision that it reaches at least. Data that was emptied, or put
 * back to an earlier state, is whole in itself: only something outside of it can tell.
 */
export class StoreHead {
  readonly #path: string;
  #fd: number | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** The revision that the data must have reached; undefined where nothing was ever stored. */
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

  /** Puts it on disk, for good. */
  create(revision: number): void {
    this.close();
    writePrivateFile(this.#path, textOf(revision));
  }

  /**
   * Writes over what is there, once the data has reached a revision. It is not flushed: one that is behind says less, but
   * nothing wrong. That it could not be written is as harmless.
   */
  advance(revision: number): void {
    try {
      // One that was removed would be written without anybody ever finding it.
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
