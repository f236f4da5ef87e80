import { copyOf, type DiskContents } from '#api/disk/contents';
import { type DiskSource, readDiskSource } from '#api/disk/request';
import { OPERATIONS } from '#api/hypersdk/operation-resources';
import { type Snapshot, VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { resourceTypeFor, VMIS } from '#api/kubevirt/resources';
import { OPERATION } from '#api/operation-request';
import type { ResourceType } from '#platform/kube/client';
import { NAMESPACES } from '#platform/kube/kinds/core';
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import type { Index } from '#platform/runtime/cache';
import { type Context, type Controller, watchSource } from '#platform/runtime/controller';
import { keyIn, keyOf } from '#platform/runtime/key';
import type { DependencyProviders } from '#vm/engine/dependency-provider';
import type { Dialect } from '#vm/engine/dialect';
import { contentsOf, isPopulated, writeContents } from '#vm/storage/disk/claim-disks';
import { type CopyAuthority, mayCopy } from '#vm/storage/disk/foreign-source';
import { retainedIn } from '#vm/storage/disk/saved-disks';
import { firstCrossNamespaceDenial } from '#vm/storage/namespace-grant';
import { isCaptured } from '#vm/storage/snapshot/lineage';
import { vmClaims } from './snapshot-source.ts';

/** Indexes claims that are yet to be populated by their source. */
const unfilled: Index<PersistentVolumeClaim> = {
  values: (claim) => {
    const source = isPopulated(claim) ? undefined : readDiskSource(claim.metadata.annotations);
    return source === undefined ? [] : [placeOf(source, claim)];
  },
};

/** Indexes claims that an operation populates from another namespace by that operation. */
const unfilledFor: Index<PersistentVolumeClaim> = {
  values: (claim) => {
    const { annotations, namespace } = claim.metadata;
    const source = isPopulated(claim) ? undefined : readDiskSource(annotations);
    const maker = annotations?.[OPERATION];
    return source === undefined || maker === undefined || (source.namespace ?? namespace) === namespace ? [] : [maker];
  },
};

export interface CopyOptions {
  readonly dialects: readonly Dialect[];
  /** Providers of the templates of VMs. */
  readonly gatherers?: DependencyProviders;
  /** Only namespace to manage. If absent, all are managed. */
  readonly onlyNamespace?: string;
}

/** Populates new claims of simulated disks with the data that they copy. */
export const diskPopulator = (options: CopyOptions): Controller<PersistentVolumeClaim> => ({
  name: 'disk copies',
  for: PERSISTENT_VOLUME_CLAIMS,
  concurrency: 16,
  isOwnWrite: isPopulated,
  reads: [
    NAMESPACES,
    VMIS,
    ...options.dialects.map(({ kind }) => resourceTypeFor(kind) as unknown as ResourceType),
    ...(options.gatherers?.template?.watches ?? []).map(({ type }) => type),
  ],
  watches: [
    watchSource(VM_SNAPSHOTS, (snapshot, { cache }) =>
      [...cache(PERSISTENT_VOLUME_CLAIMS).by(unfilled, `snapshot ${keyOf(snapshot)}`)].map(keyOf),
    ),
    watchSource(OPERATIONS, (operation, { cache }) =>
      operation.spec.operation !== 'clone'
        ? []
        : [...cache(PERSISTENT_VOLUME_CLAIMS).by(unfilledFor, keyOf(operation))].map(keyOf),
    ),
    watchSource(PERSISTENT_VOLUME_CLAIMS, (claim, { cache }) =>
      [...cache(PERSISTENT_VOLUME_CLAIMS).by(unfilled, `claim ${keyOf(claim)}`)].map(keyOf),
    ),
  ],
  async reconcile(claim, context) {
    const source = isPopulated(claim) ? undefined : readDiskSource(claim.metadata.annotations);
    if (source === undefined || claim.metadata.deletionTimestamp !== undefined) return;
    const { namespace = '', name = '', annotations } = claim.metadata;
    if (!(await mayCopy(source, { namespace, name, annotations }, copyAuthority(options, context)))) {
      const message = `disks of namespace ${source.namespace} can only be copied by a clone VMOperation that is allowed in both namespaces: the claim stays empty`;
      context.events.event(claim, 'Warning', 'Forbidden', message);
      return;
    }
    const found = await sourceContents(source, claim, context);
    if (typeof found === 'string') {
      context.events.event(claim, 'Warning', 'SourceNotFound', found);
      return;
    }
    await writeContents(context.client, claim, copyOf(found, placeOf(source, claim), source.linked === true));
  },
});

function copyAuthority(
  { dialects, gatherers: providers = {}, onlyNamespace: only }: CopyOptions,
  context: Context,
): CopyAuthority {
  const { cache, client } = context;
  const grants = { namespace: (name: string) => cache(NAMESPACES).get(name), only };
  return {
    operation: (key) => cache(OPERATIONS).get(key),
    objection: (from, among) => firstCrossNamespaceDenial(from, among, grants, client),
    claimsOf: (operation) => vmClaims(operation, dialects, providers, context),
    snapshot: (namespace, name) => cache(VM_SNAPSHOTS).get(keyIn(namespace, name)),
  };
}

/** Returns the contents for a claim, or a message that says why they are not available yet. */
async function sourceContents(
  source: DiskSource,
  { metadata }: PersistentVolumeClaim,
  { client, cache }: Context,
): Promise<DiskContents | string> {
  const { claim, snapshot, disk, namespace = metadata.namespace ?? '' } = source;
  if (snapshot === undefined) {
    const known = cache(PERSISTENT_VOLUME_CLAIMS).get(keyIn(namespace, claim ?? ''));
    if (known === undefined) return `source PersistentVolumeClaim ${namespace}/${claim} not found`;
    if (!isPopulated(known)) return `source PersistentVolumeClaim ${namespace}/${claim} is not populated yet`;
    // The guest may have written since the cache was updated.
    return contentsOf(await client.get(PERSISTENT_VOLUME_CLAIMS, claim ?? '', { namespace }));
  }
  const found = cache(VM_SNAPSHOTS).get(keyIn(namespace, snapshot));
  if (found === undefined || !isCaptured(found)) return `VMSnapshot ${namespace}/${snapshot} not found or not ready`;
  const { disks = [] } = found.status ?? {};
  const kept =
    disk === undefined ? (disks.length === 1 ? disks[0] : undefined) : disks.find(({ name }) => name === disk);
  if (kept?.contents === undefined) return `VMSnapshot ${namespace}/${snapshot} has no disk ${disk ?? ''}`;
  return retainedIn({ name: kept.name, contents: kept.contents });
}

function placeOf({ claim, snapshot, namespace }: DiskSource, { metadata }: PersistentVolumeClaim): string {
  const where = namespace ?? metadata.namespace;
  return snapshot === undefined ? `claim ${keyIn(where, claim ?? '')}` : `snapshot ${keyIn(where, snapshot)}`;
}

/** Reports whether a claim is yet to be populated from a snapshot. */
export function hasUnpopulatedClaims(snapshot: Snapshot, { cache }: Context): boolean {
  for (const claim of cache(PERSISTENT_VOLUME_CLAIMS).by(unfilled, `snapshot ${keyOf(snapshot)}`)) {
    if (claim.metadata.deletionTimestamp === undefined) return true;
  }
  return false;
}

/** Returns the key of the snapshot that a claim is, or was, populated from. The snapshot may be deleted after that. */
export function sourceSnapshot(claim: PersistentVolumeClaim): string[] {
  const source = readDiskSource(claim.metadata.annotations);
  return source?.snapshot === undefined ? [] : [keyIn(source.namespace ?? claim.metadata.namespace, source.snapshot)];
}
