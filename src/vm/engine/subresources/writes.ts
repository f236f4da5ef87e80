import { VMIMS, VMIS, type Vmi, type Vmim } from '#api/kubevirt/resources';
import type { Client, ResourceType } from '#platform/kube/client';
import { isConflict } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import type { PowerEdit } from '../dialect.ts';

/** Who owns the fields that a user changes through a subresource. */
export const FIELD_MANAGER = 'vimana-subresource';

interface WriteTarget {
  readonly namespace: string;
  readonly dryRun: boolean;
  /** Who owns what is written; as users own what they ask for through a subresource where absent. */
  readonly fieldManager?: string;
}

const writeOptions = ({ namespace, dryRun, fieldManager = FIELD_MANAGER }: WriteTarget) => ({
  namespace,
  dryRun,
  fieldManager,
});

/** In a crowd, controllers write to an object a dozen times in a row; each attempt waits for a round of its own. */
const ATTEMPTS = 40;

/** Looks, decides and writes anew for as long as somebody else is faster; in the end it says what `exhausted` does. */
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
 * Writes what a start, stop or restart comes down to. The first write that counts holds only for the machine as it was
 * read; what follows it holds whatever has happened since. Returns the machine as it was last written.
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
    // Whoever asks does not want to wait until the last failure is forgotten.
    const body = { ...asRead, status: { stateChangeRequests: requests, startFailure: null } };
    written = await client.patch(type, name, { type: 'merge', body }, { ...options, subresource: 'status' });
  }
  if (spec !== undefined) {
    const body = { ...(requests === undefined ? asRead : {}), spec };
    const write = () => client.patch(type, name, { type: 'merge', body }, options);
    // Decided anew, the request that stands by now would be in its own way.
    written = await (requests === undefined ? write() : retryOnConflict(write));
  }
  return written;
}

/** Asks the agent of an instance for something. */
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
