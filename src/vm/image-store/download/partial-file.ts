import { createReadStream } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import type { ContentHash } from './content-hash.ts';

/** Validator that shows that the rest of a file belongs to the part that was received. */
export interface Validator {
  /** Strong entity tag, or time of the last change. Unset if the content is known by its digest. */
  readonly tag?: string;
}

/**
 * File that is being received. It outlives the process, so that a download continues where it was interrupted. What was
 * received is hashed again then, so that nothing has to be trusted.
 */
export class PartialFile {
  readonly path: string;
  readonly #validator: string;

  constructor(path: string) {
    this.path = path;
    this.#validator = `${path}.json`;
  }

  /** Returns the size of what was received and can be continued, or 0. */
  async resumableBytes(isKnownByDigest: boolean): Promise<number> {
    const size = (await stat(this.path).catch(() => undefined))?.size ?? 0;
    return size > 0 && (isKnownByDigest || (await this.tag()) !== undefined) ? size : 0;
  }

  async tag(): Promise<string | undefined> {
    const text = await readFile(this.#validator, 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    try {
      return (JSON.parse(text) as Validator).tag;
    } catch {
      return undefined;
    }
  }

  /** Begins the file from the start. */
  async restart({ tag }: Validator): Promise<FileHandle> {
    await this.remove();
    if (tag !== undefined) {
      await writeFile(`${this.#validator}.tmp`, JSON.stringify({ tag }), { mode: 0o600 });
      await rename(`${this.#validator}.tmp`, this.#validator);
    }
    return await open(this.path, 'w', 0o600);
  }

  async append(): Promise<FileHandle> {
    return await open(this.path, 'a', 0o600);
  }

  /** Adds what was received to the digest. */
  async hashInto(hash: ContentHash): Promise<void> {
    for await (const chunk of createReadStream(this.path)) hash.update(chunk as Buffer);
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
    await rm(this.#validator, { force: true });
  }
}
