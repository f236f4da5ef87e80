import {
  BLANK_DISK,
  DISK_CONTENTS_ANNOTATION,
  type DiskContents,
  formatContents,
  MAX_CONTENTS_BYTES,
  parseContents,
} from '#api/disk/contents';
import { readDiskSource } from '#api/disk/request';
import { TemporaryError, TerminalError } from '#platform/base/errors';
import type { Client } from '#platform/kube/client';
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import { ignoreNotFound, isConflict } from '#platform/kube/kube-error';
import { DiskNotFoundError, type DiskStore } from './disk-store.ts';
import { bytesOf } from './guest-disks.ts';

/** Returns a cached claim, if it is known. */
export type KnownClaim = (namespace: string, claim: string) => PersistentVolumeClaim | undefined;

const ATTEMPTS = 5;
const RETRY_MS = 200;

/** Stores disk contents in an annotation of their claims. */
export class ClaimDisks implements DiskStore {
  readonly #client: Client;
  readonly #known: KnownClaim;

  constructor(client: Client, known: KnownClaim = () => undefined) {
    this.#client = client;
    this.#known = known;
  }

  async read(namespace: string, claim: string): Promise<DiskContents> {
    return contentsOf(await this.#get(namespace, claim));
  }

  async change(namespace: string, claim: string, next: (now: DiskContents) => DiskContents): Promise<DiskContents> {
    for (let attempt = 1; ; attempt++) {
      const found = await this.#get(namespace, claim);
      const now = contentsOf(found);
      const desired = next(now);
      if (desired === now) return now;
      try {
        await writeContents(this.#client, found, desired);
        return desired;
      } catch (error) {
        if (!isConflict(error) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  known(namespace: string, claim: string): DiskContents | undefined {
    const text = this.#known(namespace, claim)?.metadata.annotations?.[DISK_CONTENTS_ANNOTATION];
    return text === undefined ? undefined : parseContents(text);
  }

  bytes(namespace: string, claim: string): number | undefined {
    const known = this.#known(namespace, claim);
    return known === undefined ? undefined : bytesOf(known);
  }

  async #get(namespace: string, name: string): Promise<PersistentVolumeClaim> {
    const found = await ignoreNotFound(this.#client.get(PERSISTENT_VOLUME_CLAIMS, name, { namespace }));
    if (found === undefined) throw new DiskNotFoundError(`PersistentVolumeClaim ${namespace}/${name} not found`);
    return found;
  }
}

/** Reports whether a claim has all of its initial contents. */
export function isPopulated({ metadata }: PersistentVolumeClaim): boolean {
  const { annotations } = metadata;
  return annotations?.[DISK_CONTENTS_ANNOTATION] !== undefined || readDiskSource(annotations) === undefined;
}

/** Returns the contents of the disk of a claim. */
export function contentsOf(claim: PersistentVolumeClaim): DiskContents {
  const { annotations, namespace, name } = claim.metadata;
  const text = annotations?.[DISK_CONTENTS_ANNOTATION];
  if (text === undefined) {
    if (isPopulated(claim)) return BLANK_DISK;
    throw new TemporaryError(`${namespace}/${name} is not populated yet`, { retryAfterMs: RETRY_MS });
  }
  const contents = parseContents(text);
  if (contents !== undefined) return contents;
  throw new DiskNotFoundError(
    `annotation ${DISK_CONTENTS_ANNOTATION} of PersistentVolumeClaim ${namespace}/${name} is invalid`,
  );
}

/** Writes the contents of a disk, unless its claim has changed since it was read. */
export async function writeContents(
  client: Client,
  { metadata }: PersistentVolumeClaim,
  contents: DiskContents,
): Promise<void> {
  const { name = '', namespace = '', uid, resourceVersion } = metadata;
  const text = formatContents(contents);
  if (text.length > MAX_CONTENTS_BYTES) {
    throw new TerminalError(
      `disk ${namespace}/${name} is full: a simulated disk can store at most ${MAX_CONTENTS_BYTES} characters`,
    );
  }
  const body = { metadata: { uid, resourceVersion, annotations: { [DISK_CONTENTS_ANNOTATION]: text } } };
  await client.patch(PERSISTENT_VOLUME_CLAIMS, name, { type: 'merge', body }, { namespace });
}
