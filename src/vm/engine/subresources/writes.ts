import { VMIMS, VMIS, type Vmi, type Vmim } from '#api/kubevirt/resources';
import type { Client, ResourceType } from '#platform/kube/client';
import { isConflict } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import type { PowerEdit } from '../dialect.ts';

/** Field manager of changes that users make through a subresource. */
export const SUBRESOURCE_FIELD_MANAGER = 'vimana-subresource';

interface WriteTarget {
  readonly namespace: string;
  readonly dryRun: boolean;
  /** Field manager of the write. Defaults to the one of the subresources. */
  readonly fieldManager?: string;
}

const writeOptions = ({ namespace, dryRun, fieldManager = SUBRESOURCE_FIELD_MANAGER }: WriteTarget) => ({
  namespace,
  dryRun,
  fieldManager,
});

/** Under load, controllers write an object a dozen times in a row, and each attempt waits for a round trip. */
const ATTEMPTS = 40;

/** Repeats an attempt as long as it conflicts. Throws the error of `exhausted` after the last one. */
export async function retryOnConflict<T>(attempt: () => Promise<T>, exhausted?: () => Error): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (count >= ATTEMPTS) throw exhausted?.() ?? error;
    }
  }
}

/**
 * Writes a start, stop or restart, and returns the VM as last written. The first effective write applies only to the VM
 * as it was read; later ones apply unconditionally.
 */
export async function writePower(
  client: Client,
  type: ResourceType,
  vm: KubeObject,
  instance: Vmi | undefined,
  edit: Exclude<PowerEdit, { readonly conflict: string }>,
  place: WriteTarget,
): Promise<KubeObject> {
  const { name = '', resourceVersion = '' } = vm.metadata;
  const options = writeOptions(place);
  const { gracePeriodSeconds, requests, spec } = edit;
  let written = vm;
  if (gracePeriodSeconds !== undefined && instance !== undefined) {
    const body = { spec: { terminationGracePeriodSeconds: gracePeriodSeconds } };
    await retryOnConflict(() => client.patch(VMIS, instance.metadata.name, { type: 'merge', body }, options));
  }
  const asRead = { metadata: { resourceVersion } };
  if (requests !== undefined) {
    // A new request should not wait for the back-off of the last failure.
    const body = { ...asRead, status: { stateChangeRequests: requests, startFailure: null } };
    written = await client.patch(type, name, { type: 'merge', body }, { ...options, subresource: 'status' });
  }
  if (spec !== undefined) {
    const body = { ...(requests === undefined ? asRead : {}), spec };
    const write = () => client.patch(type, name, { type: 'merge', body }, options);
    // A new decision would conflict with the request that is already written.
    written = await (requests === undefined ? write() : retryOnConflict(write));
  }
  return written;
}

/** Sends a request to the node agent of an instance. */
export async function annotate(
  client: Client,
  { metadata }: Vmi,
  annotations: Readonly<Record<string, string>>,
  place: WriteTarget,
): Promise<void> {
  const body = { metadata: { resourceVersion: metadata.resourceVersion, annotations } };
  await client.patch(VMIS, metadata.name, { type: 'merge', body }, writeOptions(place));
}

export async function migrationsIn(client: Client, namespace: string): Promise<readonly Vmim[]> {
  return (await client.list(VMIMS, { namespace })).items;
}

export async function createMigration(
  client: Client,
  migration: { readonly metadata: object; readonly spec: Vmim['spec'] },
  place: WriteTarget,
): Promise<void> {
  const { namespace } = place;
  await client.create(VMIMS, { ...migration, metadata: { ...migration.metadata, namespace } }, writeOptions(place));
}
