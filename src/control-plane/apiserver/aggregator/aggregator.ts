import type { Clock } from '#platform/base/clock';
import { jsonEqual } from '#platform/base/json-equal';
import type { Logger } from '#platform/base/logger';
import type { ExtensionResource } from '#platform/kube/api-extension';
import type { Credentials } from '../access/pki.ts';
import { StoredObjects } from '../admission/stored-objects.ts';
import { destinationOf, UnresolvedServiceError } from '../admission/webhooks/client-config.ts';
import { type Backend, timestamp } from '../backend.ts';
import type { RequestContext } from '../request-context.ts';
import { guaranteedUpdate } from '../verbs/guaranteed-update.ts';
import type { Destination } from '../webhook-post.ts';
import { type Availability, availabilityConditions, isRemote, type RemoteApiService } from './availability.ts';
import { remoteExtension } from './remote-extension.ts';
import { RemoteServer } from './remote-server.ts';

/** Time between two looks at the servers of other APIServices. */
const PERIOD_MS = 30_000;
const CHECK_TIMEOUT_MS = 5000;
const RESOURCE = ['apiregistration.k8s.io', 'v1', 'apiservices'] as const;

export interface AggregatorDeps {
  readonly backend: Backend;
  readonly call: RequestContext;
  /** Returns the certificate by which other servers recognize this one. */
  readonly credentials: () => Credentials;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Known {
  readonly destination: Destination;
  readonly isVerified: boolean;
  readonly server: RemoteServer;
}

/** Forwards the requests of APIServices to their servers, and reports whether those are available. */
export class Aggregator {
  readonly #deps: AggregatorDeps;
  #services: StoredObjects | undefined;
  readonly #known = new Map<string, Known>();
  readonly #served = new Map<string, { readonly spec: object; readonly found: Availability }>();
  #credentials: Credentials | undefined;
  #timer: Disposable | undefined;
  #isDue = false;
  #isWorking = false;

  constructor(deps: AggregatorDeps) {
    this.#deps = deps;
  }

  /** Follows the APIServices until the server stops. */
  start(): void {
    const { backend, call } = this.#deps;
    const source = { store: backend.stores.main, registry: backend.registry, parsed: backend.parsed };
    const all = (group: string, plural: string) => new StoredObjects(source, group, 'v1', plural, call.signal);
    this.#services = all('apiregistration.k8s.io', 'apiservices');
    this.#services.tell((now, before) => {
      if ([now, before].some((object) => object !== undefined && isRemote(object))) this.#wake();
    });
    for (const plural of ['services', 'endpoints']) {
      all('', plural).tell(() => {
        if (this.#remote().length > 0) this.#wake();
      });
    }
    call.signal.addEventListener('abort', () => {
      this.#timer?.[Symbol.dispose]();
      for (const { server } of this.#known.values()) server.close();
    });
  }

  #remote(): RemoteApiService[] {
    const { registry } = this.#deps.backend;
    const isLocal = ({ group, version }: RemoteApiService['spec']) => {
      const extension = registry.extension(group, version);
      if (extension !== undefined) return extension.isForwarded !== true;
      return [...registry.all()].some((each) => each.group === group && each.version === version);
    };
    return [...(this.#services ?? [])].filter(isRemote).filter(({ spec }) => !isLocal(spec));
  }

  #wake(): void {
    this.#isDue = true;
    if (!this.#isWorking) void this.#work();
  }

  async #work(): Promise<void> {
    const { call, clock, log } = this.#deps;
    this.#isWorking = true;
    while (this.#isDue && !call.signal.aborted) {
      this.#isDue = false;
      const remote = this.#remote();
      for (const name of this.#served.keys()) {
        if (!remote.some(({ metadata }) => metadata.name === name)) this.#withdraw(name);
      }
      const results = await Promise.allSettled(remote.map((service) => this.#check(service)));
      for (const result of results) {
        if (result.status === 'rejected' && !call.signal.aborted) {
          log.warn({ err: result.reason as unknown }, 'failed to check an APIService');
        }
      }
      this.#timer?.[Symbol.dispose]();
      this.#timer = remote.length === 0 ? undefined : clock.timer(PERIOD_MS, () => this.#wake());
    }
    this.#isWorking = false;
  }

  #withdraw(name: string): void {
    this.#served.delete(name);
    this.#known.get(name)?.server.close();
    this.#known.delete(name);
    const [version = '', ...group] = name.split('.');
    this.#deps.backend.registry.withdraw(group.join('.'), version);
  }

  async #check(service: RemoteApiService): Promise<void> {
    const name = service.metadata.name ?? '';
    const found = await this.#look(service);
    const before = this.#served.get(name);
    if (before === undefined || !jsonEqual(before, { spec: service.spec, found })) {
      this.#served.set(name, { spec: service.spec, found });
      this.#deps.backend.registry.extend([remoteExtension(service, found, this.#known.get(name)?.server)]);
    }
    await this.#report(service, found);
  }

  /** Requests the resources of a server. */
  async #look(service: RemoteApiService): Promise<Availability> {
    const { group, version } = service.spec;
    const { clock, call } = this.#deps;
    const path = `/apis/${group}/${version}`;
    let server: RemoteServer;
    try {
      server = this.#serverOf(service);
    } catch (error) {
      if (!(error instanceof UnresolvedServiceError)) throw error;
      const isMissing = error.message.endsWith('not found');
      return { isAvailable: false, reason: isMissing ? 'ServiceNotFound' : 'MissingEndpoints', message: error.message };
    }
    const over = new AbortController();
    using _timer = clock.timer(CHECK_TIMEOUT_MS, () => over.abort());
    try {
      const signal = AbortSignal.any([call.signal, over.signal]);
      const user = { name: 'system:kube-aggregator', groups: ['system:masters'] };
      const headers = { accept: 'application/json' };
      const response = await server.forward({ method: 'GET', path, headers, user, signal });
      const text = await response.body.text();
      if (response.statusCode !== 200) throw new Error(`bad status from ${path}: ${response.statusCode}`);
      const { resources = [] } = JSON.parse(text) as { readonly resources?: readonly ExtensionResource[] };
      return { isAvailable: true, resources };
    } catch (error) {
      const { name, namespace } = service.spec.service;
      const why = over.signal.aborted ? 'context deadline exceeded' : (error as Error).message;
      const message = `failing or missing response from https://${name}.${namespace}.svc${path}: ${why}`;
      return { isAvailable: false, reason: 'FailedDiscoveryCheck', message };
    }
  }

  #serverOf({ metadata, spec }: RemoteApiService): RemoteServer {
    const { stores, registry, parsed } = this.#deps.backend;
    const { caBundle, service } = spec;
    const source = { store: stores.main, registry, parsed };
    const config = { service, ...(caBundle === undefined ? {} : { caBundle }) };
    const destination = destinationOf(config, source, () => undefined);
    const isVerified = spec.insecureSkipTLSVerify !== true;
    const name = metadata.name ?? '';
    const known = this.#known.get(name);
    if (known !== undefined && known.isVerified === isVerified && jsonEqual(known.destination, destination)) {
      return known.server;
    }
    known?.server.close();
    this.#credentials ??= this.#deps.credentials();
    const server = new RemoteServer(destination, this.#credentials, isVerified);
    this.#known.set(name, { destination, isVerified, server });
    return server;
  }

  async #report(service: RemoteApiService, found: Availability): Promise<void> {
    const { backend, call } = this.#deps;
    const conditions = availabilityConditions(service, found, timestamp(backend.clock));
    const resource = backend.registry.find(...RESOURCE);
    if (conditions === undefined || resource === undefined) return;
    const target = { resource, namespace: '', name: service.metadata.name ?? '', subresource: 'status' };
    const write = (current: object) => ({ ...structuredClone(current), status: { conditions } }) as never;
    await guaranteedUpdate(backend, target, write, call);
  }
}
