import { execFile } from 'node:child_process';
import { link, mkdir, open, rename, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createDirectory } from '#platform/base/directory';
import type { BaseImage } from '#vm/image-store/image-store';
import type { ClaimInfo } from '../../claim-reader.ts';
import { MachineStartError } from '../../machine-driver.ts';

const run = promisify(execFile);
const UID = /^[0-9A-Za-z-]{1,64}$/;

/**
 * Disks of claims on this host, each a file named by the UID of its claim, which is filled once, at its first use. The
 * files are raw: they outlive the machine that writes to them, and in a raw disk nothing can be written that another
 * machine's QEMU would take for the name of a file.
 */
export class ClaimFiles {
  readonly #root: string;
  readonly #filling = new Map<string, Promise<void>>();

  constructor(root: string) {
    this.#root = root;
    createDirectory(root);
  }

  async isFilled({ uid }: ClaimInfo): Promise<boolean> {
    return (await stat(this.#file(uid)).catch(() => undefined)) !== undefined;
  }

  /** Creates the disk of a claim from an image, or blank. It has its name only when it is complete. */
  async fill(claim: ClaimInfo, base: BaseImage | undefined): Promise<void> {
    const filling = this.#filling.get(claim.uid) ?? this.#fill(claim, base);
    this.#filling.set(claim.uid, filling);
    try {
      await filling;
    } finally {
      this.#filling.delete(claim.uid);
    }
  }

  /** Links the disk of a claim into the directory of a machine. A claim that has grown has a larger disk then. */
  async linkInto(directory: string, { uid, bytes }: ClaimInfo, name: string): Promise<void> {
    const file = this.#file(uid);
    if ((await stat(file)).size < bytes) await truncate(file, bytes);
    await link(file, join(directory, name));
  }

  /** Deletes the disk of a claim, if there is one. A machine that still uses it keeps it until it ends. */
  async remove(uid: string): Promise<void> {
    await rm(this.#file(uid), { force: true });
  }

  async #fill({ uid, bytes }: ClaimInfo, base: BaseImage | undefined): Promise<void> {
    const needed = base?.cached?.record.virtualBytes ?? 0;
    if (needed > bytes) {
      const message = `the image needs a disk of ${needed} bytes, but the claim has ${bytes}`;
      throw new MachineStartError(message, { reason: 'ClaimTooSmall', hint: 'Request a larger disk' });
    }
    const draft = join(this.#root, `.${uid}`);
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { mode: 0o700 });
    const file = join(draft, 'disk');
    if (base !== undefined) await run('qemu-img', ['convert', '-f', base.format, '-O', 'raw', base.path, file]);
    await extendDurably(file, bytes);
    await rename(file, this.#file(uid));
    await rm(draft, { recursive: true, force: true });
  }

  #file(uid: string): string {
    if (!UID.test(uid)) throw new RangeError(`${uid} is not the UID of a claim`);
    return join(this.#root, uid);
  }
}

async function extendDurably(path: string, bytes: number): Promise<void> {
  await using file = await open(path, 'a', 0o600);
  await file.chmod(0o600);
  if ((await file.stat()).size < bytes) await file.truncate(bytes);
  await file.sync();
}
