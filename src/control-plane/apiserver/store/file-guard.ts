import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { PAGE_SIZE } from './environment.ts';
import { TRANSACTION_AT } from './lmdb-file.ts';
import { StoreError } from './store-error.ts';

/**
 * Detects that a file was truncated, deleted or replaced while it is open. LMDB reads its file through a memory map: a
 * missing page ends the process by a signal, and a new file in place of the old one goes unnoticed.
 */
export class FileGuard {
  readonly #path: string;
  readonly #inode: number;
  /** Descriptor of the original file. */
  readonly #fd: number;
  readonly #number = Buffer.alloc(8);
  #size: number;
  #transaction = 0n;
  #damage: StoreError | undefined;

  constructor(path: string) {
    this.#path = path;
    const { ino, size } = statSync(path);
    this.#inode = ino;
    this.#size = size;
    this.#fd = openSync(path, 'r');
  }

  /** Returns the size of the file at the last check. */
  get size(): number {
    return this.#size;
  }

  /** Throws once the file has changed, and on every call after that. */
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
            : this.#hasNewest()
              ? undefined
              : 'overwritten by an older copy';
    if (what !== undefined) {
      this.#damage = new StoreError(
        'Corrupt',
        `${basename(this.#path)} was ${what} while it was in use. Stop the server, and restore a backup`,
      );
      throw this.#damage;
    }
    this.#size = found?.size ?? 0;
  }

  close(): void {
    closeSync(this.#fd);
  }

  /**
   * Reports whether the file still has its newest known transaction. Transactions write the first two pages in turn, so
   * that only the page of the next one must be read to see whether there was one since.
   */
  #hasNewest(): boolean {
    const next = this.#transactionOn((this.#transaction + 1n) % 2n);
    if (next > this.#transaction) {
      this.#transaction = next;
      return true;
    }
    const found = this.#transactionOn(this.#transaction % 2n);
    if (found < this.#transaction) return false;
    this.#transaction = found;
    return true;
  }

  #transactionOn(page: bigint): bigint {
    readSync(this.#fd, this.#number, 0, 8, Number(page) * PAGE_SIZE + TRANSACTION_AT);
    return this.#number.readBigUInt64LE(0);
  }
}
