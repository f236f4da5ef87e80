import { DISK_CONTENTS_ANNOTATION, parseContents } from '#api/disk/contents';
import { parseQuantity, value } from '#platform/base/quantity';
import type { Client } from '#platform/kube/client';
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import { isNotFound } from '#platform/kube/kube-error';

/** Claim that a disk is stored in. */
export interface ClaimInfo {
  readonly uid: string;
  readonly bytes: number;
  /** Image that the disk is created from. Unset for a blank disk. */
  readonly image?: { readonly source: string; readonly checksum?: string };
  /** Source of a copy, as text. */
  readonly copyOf?: string;
}

/** Reads the claims of a node's machines. */
export interface ClaimReader {
  /** Returns a claim, or undefined if it does not exist. */
  read(namespace: string, name: string): Promise<ClaimInfo | undefined>;
}

/** Reads claims with a client that acts as the node, which may read those that its pods refer to. */
export function claimReader(client: Pick<Client, 'get'>): ClaimReader {
  return {
    async read(namespace, name) {
      try {
        return claimInfo(await client.get(PERSISTENT_VOLUME_CLAIMS, name, { namespace }));
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
  };
}

/** Returns what a claim says about its disk. */
export function claimInfo({ metadata, spec, status }: PersistentVolumeClaim): ClaimInfo {
  const contents = parseContents(metadata.annotations?.[DISK_CONTENTS_ANNOTATION]);
  const size = status?.capacity?.['storage'] ?? spec.resources?.requests?.['storage'] ?? 0;
  const from = contents?.from ?? copySource(spec.dataSource);
  return {
    uid: metadata.uid ?? '',
    bytes: value(parseQuantity(size)),
    ...(contents?.image === undefined ? {} : { image: contents.image }),
    ...(from === undefined ? {} : { copyOf: from }),
  };
}

function copySource(source: unknown): string | undefined {
  const { kind, name } = (source ?? {}) as { readonly kind?: string; readonly name?: string };
  return name === undefined ? undefined : `${kind} ${name}`;
}
