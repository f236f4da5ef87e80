import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { createDirectory } from '#platform/base/directory';
import type { CachedImage, ImageRecord, ImageReference } from './image-record.ts';

const DISK = 'disk';
const RECORD = 'image.json';

/**
 * Images that were fetched, each in a directory named by the SHA-256 of the image as it was published. A directory has
 * its name only when it is complete. The disk of a machine is a hard link, so that an image in use has several.
 */
export class ImageCache {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
    for (const name of ['sha256', 'references', 'partial']) createDirectory(join(root, name));
  }

  async find(digest: string): Promise<CachedImage | undefined> {
    return await this.#read(digest);
  }

  /** Returns all images, of all namespaces. */
  async list(): Promise<readonly CachedImage[]> {
    const names = await readdir(join(this.#root, 'sha256'));
    const images = await Promise.all(names.filter((name) => !name.startsWith('.')).map((name) => this.#read(name)));
    return images.filter((image) => image !== undefined);
  }

  /** Returns what a name meant when it was last resolved. Knowing the digest of an image is no proof of access. */
  async reference(key: string): Promise<ImageReference | undefined> {
    return await readJson<ImageReference>(this.#referenceFile(hexDigest(key)));
  }

  async putReference(key: string, reference: ImageReference): Promise<void> {
    await writeDurably(this.#referenceFile(hexDigest(key)), JSON.stringify(reference));
  }

  /** Returns all references by their IDs. */
  async references(): Promise<ReadonlyMap<string, ImageReference>> {
    const names = (await readdir(join(this.#root, 'references'))).filter((name) => name.endsWith('.json'));
    const ids = names.map((name) => name.slice(0, -'.json'.length));
    const read = await Promise.all(ids.map(async (id) => [id, await readJson(this.#referenceFile(id))] as const));
    return new Map(read.filter((entry): entry is [string, ImageReference] => entry[1] !== undefined));
  }

  async removeReference(id: string): Promise<void> {
    await rm(this.#referenceFile(id), { force: true });
  }

  /** Returns the path of a download in progress. */
  partialPath(key: string): string {
    return join(this.#root, 'partial', hexDigest(key));
  }

  /** Creates a directory for an image that is being prepared. */
  async createDraft(key: string): Promise<string> {
    const draft = join(this.#root, 'sha256', `.${hexDigest(key)}`);
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { mode: 0o700 });
    return draft;
  }

  /** Adds an image from a draft, in which its disk is complete. Of the same image twice, the first one stays. */
  async commit(draft: string, disk: string, record: ImageRecord): Promise<CachedImage> {
    const { digest } = record;
    if ((await this.#read(digest)) === undefined) {
      await rename(disk, join(draft, DISK));
      await makeReadable(join(draft, DISK));
      await writeDurably(join(draft, RECORD), JSON.stringify(record));
      await removeOthers(draft);
      await rename(draft, this.#directory(digest)).catch(async (error: NodeJS.ErrnoException) => {
        // Another name of the same image was pulled at the same time.
        if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
        await rm(draft, { recursive: true, force: true });
      });
      await syncDirectory(join(this.#root, 'sha256'));
    } else {
      await rm(draft, { recursive: true, force: true });
    }
    const stored = await this.#read(digest);
    if (stored === undefined) throw new Error(`image ${digest} was deleted while it was being stored`);
    return stored;
  }

  /** Records that an image is about to be used, so that it is not deleted as unused meanwhile. */
  async touch(digest: string, now: number): Promise<void> {
    await utimes(join(this.#directory(digest), RECORD), now / 1000, now / 1000).catch(() => undefined);
  }

  async remove(digest: string): Promise<void> {
    // It is renamed first, so that nobody sees a part of it.
    const gone = join(this.#root, 'sha256', `.${digest}.deleted`);
    await rename(this.#directory(digest), gone).catch(() => undefined);
    await rm(gone, { recursive: true, force: true });
  }

  /** Deletes parts of downloads and of images that were last written before a time. */
  async removeLeftovers(before: number): Promise<void> {
    const drafts = (await readdir(join(this.#root, 'sha256'))).filter((name) => name.startsWith('.'));
    const parts = await readdir(join(this.#root, 'partial'));
    const paths = [...drafts.map((name) => join('sha256', name)), ...parts.map((name) => join('partial', name))];
    for (const path of paths.map((name) => join(this.#root, name))) {
      const written = (await stat(path).catch(() => undefined))?.mtimeMs ?? before;
      if (written < before) await rm(path, { recursive: true, force: true });
    }
  }

  #directory(digest: string): string {
    return join(this.#root, 'sha256', digest);
  }

  #referenceFile(id: string): string {
    return join(this.#root, 'references', `${id}.json`);
  }

  async #read(digest: string): Promise<CachedImage | undefined> {
    if (!/^[0-9a-f]{64}$/.test(digest)) return undefined;
    const directory = this.#directory(digest);
    const record = await readJson<ImageRecord>(join(directory, RECORD));
    if (record === undefined) return undefined;
    const [disk, used] = await Promise.all([stat(join(directory, DISK)), stat(join(directory, RECORD))]);
    return {
      record,
      path: join(directory, DISK),
      storedBytes: disk.blocks * 512,
      links: disk.nlink,
      usedAt: used.mtimeMs,
    };
  }
}

const hexDigest = (text: string) => createHash('sha256').update(text).digest('hex');

/** Machines may run under other users, who reach the disk through the directory of their machine alone. */
async function makeReadable(path: string): Promise<void> {
  await using file = await open(path, 'r');
  await file.chmod(0o444);
  await file.sync();
}

async function removeOthers(draft: string): Promise<void> {
  const names = (await readdir(draft)).filter((name) => name !== DISK && name !== RECORD);
  await Promise.all(names.map((name) => rm(join(draft, name), { recursive: true, force: true })));
}

async function readJson<T>(file: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const draft = `${path}.tmp`;
  {
    await using file = await open(draft, 'w', 0o600);
    await file.writeFile(text);
    await file.sync();
  }
  await rename(draft, path);
}

async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path, 'r');
  await directory.sync();
}
