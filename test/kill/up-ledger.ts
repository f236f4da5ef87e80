import type { Client, ResourceType } from '#platform/kube/client';
import { ignoreNotFound, KubeError } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';

const STAMP = 'example.com/stamp';

interface Entry {
  readonly type: ResourceType;
  readonly name: string;
  readonly namespace: string | undefined;
  /** Last acknowledged state, or undefined if the object was deleted or never created. */
  known: string | undefined;
  /** State of a write in progress when the connection broke. It may have been stored or not. */
  pending: { readonly stamp: string | undefined } | undefined;
}

/** Writes objects and records what was acknowledged. */
export class Ledger {
  readonly #entries = new Map<string, Entry>();
  #stamps = 0;
  acknowledged = 0;

  has(type: ResourceType, name: string): boolean {
    return this.#entries.get(`${type.plural}/${name}`)?.known !== undefined;
  }

  /** Creates an object or overwrites it. */
  async write(client: Client, type: ResourceType, object: KubeObjectDraft): Promise<void> {
    const { name, namespace } = object.metadata;
    const entry = this.#entryOf(type, name, namespace);
    const stamp = String(++this.#stamps);
    const metadata = { ...object.metadata, annotations: { [STAMP]: stamp } };
    await this.#send(entry, stamp, async () => {
      if (entry.known === undefined) await client.create(type, { ...object, metadata });
      else {
        const where = namespace === undefined ? {} : { namespace };
        await client.patch(type, name, { type: 'merge', body: { ...object, metadata } }, where);
      }
    });
  }

  async remove(client: Client, type: ResourceType, name: string, namespace?: string): Promise<void> {
    const where = namespace === undefined ? {} : { namespace };
    await this.#send(this.#entryOf(type, name, namespace), undefined, () => client.delete(type, name, where));
  }

  /** Returns what a restarted server does not have as it was acknowledged. Reads then resolve pending writes. */
  async lost(client: Client): Promise<string[]> {
    const wrong: string[] = [];
    for (const [key, entry] of this.#entries) {
      const { type, name, namespace, known, pending } = entry;
      const found = await ignoreNotFound(client.get(type, name, namespace === undefined ? {} : { namespace }));
      const stamp = found?.metadata.annotations?.[STAMP];
      const isPending = pending !== undefined && pending.stamp === stamp;
      // A terminating object is deleted only when its finalizers are removed.
      const isLeaving = found?.metadata.deletionTimestamp !== undefined && (known === undefined || isPending);
      if (stamp !== known && !isPending && !isLeaving) wrong.push(`${key} is ${stamp}, and ${known} was acknowledged`);
      Object.assign(entry, { known: isLeaving ? undefined : stamp, pending: undefined });
      if (entry.known === undefined) this.#entries.delete(key);
    }
    return wrong;
  }

  #entryOf(type: ResourceType, name: string, namespace: string | undefined): Entry {
    const key = `${type.plural}/${name}`;
    const entry = this.#entries.get(key) ?? { type, name, namespace, known: undefined, pending: undefined };
    this.#entries.set(key, entry);
    return entry;
  }

  async #send(entry: Entry, stamp: string | undefined, send: () => Promise<unknown>): Promise<void> {
    entry.pending = { stamp };
    try {
      await send();
    } catch (error) {
      // A rejected write was not stored.
      if (error instanceof KubeError) entry.pending = undefined;
      throw error;
    }
    Object.assign(entry, { known: stamp, pending: undefined });
    this.acknowledged++;
  }
}

type KubeObjectDraft = Omit<Partial<KubeObject>, 'metadata'> & {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
};
