import type { Client } from '#platform/kube/client';
import type { Lease } from '#platform/kube/kinds/node';
import { KubeError } from '#platform/kube/kube-error';

interface Written {
  readonly metadata: {
    readonly name?: string;
    readonly resourceVersion?: string;
    readonly annotations?: Readonly<Record<string, string | null>>;
  };
  readonly spec?: Lease['spec'];
}

/** Lease server that rejects writes which do not follow the current version. */
export class NodeLeaseServer {
  readonly leases = new Map<string, Lease>();
  #version = 0;

  /** Called for every Lease written. */
  onWrite: (lease: Lease) => void = () => {};

  /** Returns a client whose requests and responses can each be delayed or fail. */
  client(way: () => Promise<void>, back: () => Promise<void> = way): Client {
    const call = async <T>(apply: () => T): Promise<T> => {
      await way();
      // The client learns the result only when the response has arrived.
      const answer = settled(apply);
      await back();
      return answer();
    };
    const client = {
      get: (_type: unknown, name: string) => call(() => this.get(name)),
      create: (_type: unknown, object: Written) => call(() => this.create(object)),
      patch: (_type: unknown, name: string, { body }: { readonly body: Written }) => call(() => this.patch(name, body)),
    };
    return client as unknown as Client;
  }

  get(name: string): Lease {
    const lease = this.leases.get(name);
    if (lease === undefined) throw new KubeError(404, 'NotFound', 'no such lease');
    return lease;
  }

  create({ metadata, spec }: Written): Lease {
    const { name = '' } = metadata;
    if (this.leases.has(name)) throw new KubeError(409, 'AlreadyExists', 'it is there');
    return this.#store(name, { metadata: {}, spec: {} } as Lease, {
      metadata,
      ...(spec === undefined ? {} : { spec }),
    });
  }

  patch(name: string, body: Written): Lease {
    const present = this.get(name);
    const { resourceVersion = present.metadata.resourceVersion } = body.metadata;
    if (resourceVersion !== present.metadata.resourceVersion) throw new KubeError(409, 'Conflict', 'it has changed');
    return this.#store(name, present, body);
  }

  #store(name: string, { metadata, spec }: Lease, body: Written): Lease {
    const merged = Object.entries({ ...metadata.annotations, ...body.metadata.annotations });
    const annotations = Object.fromEntries(merged.filter((each): each is [string, string] => each[1] !== null));
    const lease: Lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, annotations, resourceVersion: String(++this.#version) },
      spec: { ...spec, ...body.spec },
    };
    this.leases.set(name, lease);
    this.onWrite(lease);
    return lease;
  }
}

function settled<T>(apply: () => T): () => T {
  try {
    const response = apply();
    return () => response;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
