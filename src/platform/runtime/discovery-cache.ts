import { TemporaryError } from '#platform/base/errors';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  type CustomResourceDefinition,
} from '#platform/kube/kinds/custom-resource-definition';
import { apiVersionOf, resourceType } from '#platform/kube/kinds/resource-type';
import { type ControllerDeps } from './controller.ts';
import { type DiscoveredResource, type DiscoveryResult, discover } from './discovery.ts';
import type { Runnable } from './runnable.ts';
import { WorkQueue } from './work-queue.ts';

const API_SERVICES = resourceType('apiregistration.k8s.io/v1', 'APIService', 'apiservices', 'Cluster');

/**
 * Cache of the resources that the server serves, including custom resources. It is refreshed only when a CRD or an
 * APIService is created, changed or deleted.
 */
export class DiscoveryCache implements Runnable {
  readonly name = 'catalog';
  readonly #parts: ControllerDeps;
  readonly #queue: WorkQueue;
  readonly #listeners = new Set<(now: DiscoveryResult) => void>();
  readonly #ready = Promise.withResolvers<void>();
  #now: DiscoveryResult = { resources: [], failed: new Map() };
  #byKind = new Map<string, DiscoveredResource>();

  constructor(parts: ControllerDeps) {
    this.#parts = parts;
    const { clock, random, log } = parts;
    this.#queue = new WorkQueue({
      name: this.name,
      clock,
      random: random.fork(this.name),
      backOff: { first: 20, max: 30_000 },
      work: async (_key, signal) => await this.#refresh(signal),
      onFailure: (_key, error) => log.debug({ err: error }, 'discovery failed; retrying'),
    });
  }

  get now(): DiscoveryResult {
    return this.#now;
  }

  /** Resolves when discovery has run for the first time. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Returns the resource of a kind, in exactly this version, or undefined if it is not served. */
  ofKind(apiVersion: string, kind: string): DiscoveredResource | undefined {
    return this.#byKind.get(`${apiVersion}/${kind}`);
  }

  /** Calls the listener on every change from now on. */
  onChange(listener: (now: DiscoveryResult) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { informers } = this.#parts;
    const ask = () => this.#queue.add('');
    const stops = [informers.of(CUSTOM_RESOURCE_DEFINITIONS).onChange(ask), informers.of(API_SERVICES).onChange(ask)];
    ask();
    await this.#queue.run(signal);
    for (const stop of stops) stop();
  }

  async #refresh(signal: AbortSignal): Promise<undefined> {
    const { client, informers } = this.#parts;
    const found = await discover(client, signal);
    if (text(found) !== text(this.#now)) {
      this.#now = found;
      this.#byKind = new Map(
        found.resources.map((resource) => [`${apiVersionOf(resource)}/${resource.kind}`, resource]),
      );
      this.#ready.resolve();
      for (const listener of this.#listeners) listener(found);
    }
    const { failed } = found;
    if (failed.size > 0) throw new TemporaryError(`no response from ${[...failed.keys()].join(', ')}`);
    // A CRD is established before it is served.
    const missing = establishedResources(informers.of(CUSTOM_RESOURCE_DEFINITIONS).cache.all()).filter(
      ({ group, version, plural }) =>
        !found.resources.some((each) => each.plural === plural && each.group === group && each.version === version),
    );
    if (missing.length > 0) throw new TemporaryError(`${missing[0]?.plural} are not served yet`);
  }
}

function establishedResources(definitions: Iterable<CustomResourceDefinition>) {
  return [...definitions].flatMap(({ spec, status, metadata }) => {
    const established = status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True');
    if (established !== true || metadata.deletionTimestamp !== undefined) return [];
    const { group, names, versions } = spec;
    return versions.filter(({ served }) => served).map(({ name }) => ({ group, version: name, plural: names.plural }));
  });
}

const text = ({ resources, failed }: DiscoveryResult) => JSON.stringify([resources, [...failed.keys()]]);
