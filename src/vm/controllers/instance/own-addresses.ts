import { IDENTITY_ANNOTATION } from '#api/instance-request';
import { resourceTypeFor, VMIS, type Vmi } from '#api/kubevirt/resources';
import { jsonEqual } from '#platform/base/json-equal';
import type { ResourceType } from '#platform/kube/client';
import type { Context } from '#platform/runtime/controller';
import { keyOf } from '#platform/runtime/key';
import type { AddressPool } from '#vm/engine/address-pool';
import { noAddressBlocker } from '#vm/engine/blocker';
import type { Dialect, Problem } from '#vm/engine/dialect';
import { heldAddresses } from '#vm/engine/held-addresses';
import { assignIdentity, formatIdentity, identityOf } from '#vm/engine/identity';

/** Source of addresses: the shared pool, and the API groups whose VMs hold some of them. */
export interface AddressSource {
  readonly pool: AddressPool;
  readonly dialects: readonly Dialect[];
}

/** Assigns addresses to standalone instances. Instances of VMs are created with theirs. */
export class OwnAddresses {
  readonly #source: AddressSource | undefined;
  readonly #uids = new Map<string, string>();
  #consulted = false;

  constructor(source: AddressSource | undefined) {
    this.#source = source;
  }

  /** Returns the resource types to read in order to know which addresses are in use. */
  get reads(): readonly ResourceType[] {
    return (this.#source?.dialects ?? []).map(({ kind }) => resourceTypeFor(kind) as unknown as ResourceType);
  }

  /** Returns the instance with its addresses, or the problem that prevents them. */
  async assign(vmi: Vmi, context: Context): Promise<{ readonly vmi: Vmi; readonly problem?: Problem }> {
    const { metadata, spec } = vmi;
    const owned = metadata.ownerReferences?.some(({ controller }) => controller === true) === true;
    const source = this.#source;
    if (source === undefined || owned) return { vmi };
    if (!this.#consulted) source.pool.consult(heldAddresses(source.dialects, context));
    this.#consulted = true;
    // An instance keeps the addresses that it brings only if nobody else has them.
    const { identity, without } = assignIdentity(spec, metadata.uid, identityOf(vmi), source.pool);
    if (without.length > 0) return { vmi, problem: noAddressBlocker(without) };
    this.#uids.set(keyOf(vmi), metadata.uid);
    if (jsonEqual(identity, identityOf(vmi))) return { vmi };
    const annotations = { [IDENTITY_ANNOTATION]: formatIdentity(identity) };
    const { name, namespace, resourceVersion } = metadata;
    const body = { metadata: { resourceVersion, annotations } };
    return { vmi: await context.client.patch(VMIS, name, { type: 'merge', body }, { namespace }) };
  }

  forget(key: string): void {
    const uid = this.#uids.get(key);
    if (uid !== undefined) this.#source?.pool.release(uid);
    this.#uids.delete(key);
  }
}
