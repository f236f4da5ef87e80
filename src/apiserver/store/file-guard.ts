import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { StoreError } from './store-error.ts';

/**
 * Notices that a file was truncated, removed or replaced while it is open. LMDB reads its file through a memory map: a
 * page that is no longer there ends the process by a signal, and a new file in the place of the old one goes unnoticed.
 */
export class FileGuard {
  readonly #path: string;
  readonly #inode: number;
  #size: number;
  #damage: StoreError | undefined;

  constructor(path: string) {
    this.#path = path;
    const { ino, size } = statSync(path);
    this.#inode = ino;
    this.#size = size;
  }

  /** Throws once the file is not what it was, and ever after. */
  check(): void {
    if (this.#damage !== undefined) throw this.#damage;
    const found = statSync(this.#path, { throwIfNoEntry: false });
    const what =
      found === undefined
        ? 'removed'
        : found.ino !== this.#inode
          ? 'replaced'
          : found.size < this.#size
            ? `truncated from ${this.#size} to ${found.size} bytes`
            : undefined;
    if (what !== undefined) {
      this.#damage = new StoreError(
        'Corrupt',
        `${basename(this.#path)} was ${what} while it was in use. Stop the server, and restore a backup`,
      );
      throw this.#damage;
    }
    this.#size = found?.size ?? 0;
  }
}
