import type { Logger } from '#platform/base/logger';
import type { KubeObject } from '#platform/kube/kube-object';
import { ApiError } from '../api-error.ts';
import { type Backend, timestamp } from '../backend.ts';
import type { RequestContext } from '../request-context.ts';
import type { Resource } from '../resource.ts';
import { createObject } from '../verbs/create.ts';
import { deleteObject } from '../verbs/delete.ts';
import { guaranteedUpdate } from '../verbs/guaranteed-update.ts';
import { apiServiceName, apiServiceOf, availableStatus, type GroupVersion, MANAGED } from './api-service.ts';

export interface ApiServicesDeps {
  readonly backend: Backend;
  readonly call: RequestContext;
  readonly log: Logger;
}

/** Maintains one APIService for every served group version, as CRDs are created and deleted. */
export class ApiServices {
  readonly #parts: ApiServicesDeps;
  readonly #resource: Resource;
  #wanted = false;
  #working = false;

  constructor(parts: ApiServicesDeps) {
    this.#parts = parts;
    const resource = parts.backend.registry.find('apiregistration.k8s.io', 'v1', 'apiservices');
    if (resource === undefined) throw new Error('apiservices are not served');
    this.#resource = resource;
  }

  /** Starts with the group versions served now, and resolves once all of them have an APIService. */
  async start(): Promise<void> {
    const { registry } = this.#parts.backend;
    const stop = registry.onChange(() => void this.#update());
    this.#parts.call.signal.addEventListener('abort', stop, { once: true });
    await this.#update();
  }

  /** Runs one pass at a time. Changes during a pass cause another. */
  async #update(): Promise<void> {
    this.#wanted = true;
    if (this.#working) return;
    this.#working = true;
    const { call, log } = this.#parts;
    while (this.#wanted && !call.signal.aborted) {
      this.#wanted = false;
      try {
        await this.#reconcile();
      } catch (error) {
        if (!call.signal.aborted) log.error({ error }, 'failed to update the APIServices');
      }
    }
    this.#working = false;
  }

  async #reconcile(): Promise<void> {
    const { backend } = this.#parts;
    const served = this.#served();
    const { entries } = backend.stores.main.range({ prefix: this.#resource.storage.prefix });
    const present = new Map(entries.map((entry) => [backend.parsed.get(entry).metadata.name ?? '', entry]));
    const missing = [...served].filter(([name]) => !present.has(name));
    const gone = [...present].filter(([name, entry]) => !served.has(name) && isOurs(backend.parsed.get(entry)));
    await Promise.all([
      ...missing.map(async ([, groupVersion]) => await this.#create(apiServiceOf(groupVersion))),
      ...gone.map(async ([name]) => await this.#delete(name)),
    ]);
  }

  #served(): Map<string, GroupVersion> {
    const found = new Map<string, GroupVersion>();
    for (const { group, version, custom } of this.#parts.backend.registry.all()) {
      const name = apiServiceName({ group, version, custom });
      if (name !== undefined && found.get(name)?.custom !== false) found.set(name, { group, version, custom });
    }
    for (const { group, version, priority = true, isForwarded } of this.#parts.backend.registry.extensions()) {
      if (isForwarded === true) continue;
      found.set(`${version}.${group}`, { group, version, custom: false, extension: priority });
    }
    return found;
  }

  async #create(entry: KubeObject): Promise<void> {
    const { backend, call } = this.#parts;
    const { object } = await createObject(backend, this.#resource, '', entry, call);
    const status = availableStatus(timestamp(backend.clock));
    const target = { resource: this.#resource, namespace: '', name: object.metadata.name ?? '', subresource: 'status' };
    await guaranteedUpdate(backend, target, (current) => ({ ...structuredClone(current), status }), call);
  }

  async #delete(name: string): Promise<void> {
    const { backend, call } = this.#parts;
    try {
      await deleteObject(backend, { resource: this.#resource, namespace: '', name, subresource: '' }, {}, call);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 404)) throw error;
    }
  }
}

/** Reports whether the server maintains an APIService. Those that users created for their own servers are theirs. */
function isOurs({ metadata }: KubeObject): boolean {
  return metadata.labels?.[MANAGED] !== undefined;
}
