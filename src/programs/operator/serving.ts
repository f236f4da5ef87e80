import { virtualMachineInstance } from '#api/kubevirt/group';
import { resourceTypeFor, VMIMS } from '#api/kubevirt/resources';
import { serviceHosts } from '#platform/base/allowed-hosts';
import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { Random } from '#platform/base/random';
import type { ApiExtension } from '#platform/kube/api-extension';
import type { Client } from '#platform/kube/client';
import type { EventRecorder } from '#platform/runtime/events/event-recorder';
import type { Checks } from '#platform/runtime/http/health-routes';
import type { Informers } from '#platform/runtime/informers';
import { keyIn } from '#platform/runtime/key';
import { manager } from '#platform/runtime/manager';
import type { Runnable } from '#platform/runtime/runnable';
import { waitForAbort } from '#platform/runtime/wait-for-abort';
import type { OperatorFlags } from '#programs/cli/operator';
import { actsFor } from '#programs/operator/controllers';
import type { Lookup, MigrationsOf } from '#vm/admission/admitter';
import { migrationsByInstance } from '#vm/controllers/migration/indices';
import { findAdmission } from '#vm/dialects/admitters';
import { REGISTRATIONS } from '#vm/dialects/registrations';
import type { Dialect } from '#vm/engine/dialect';
import { subresourceExtensions } from '#vm/engine/subresources/extension';
import type { ReviewDeps } from './admission-review.ts';
import { aggregatedApi } from './aggregated-api.ts';
import { caBundles } from './ca-bundles.ts';
import { directoryCertificates, sharedCertificates } from './certificates.ts';
import { clusterMetrics } from './custom-metrics.ts';
import { followFrontProxy } from './front-proxy.ts';
import { listen } from './listen.ts';
import { API_SERVICES, METRICS_API_SERVICES, ownNames } from './rbac.ts';
import type { NamedFlags } from './resolve-names.ts';
import { SubjectAccess } from './subject-access.ts';
import { webhookRoutes } from './webhook-routes.ts';

export interface ServingDeps {
  readonly client: Client;
  /** Namespace of the operator itself. */
  readonly namespace: string;
  readonly dialects: readonly Dialect[];
  readonly informers: Informers;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** HTTPS server of every operator, and the tasks of the leader for it. */
export interface Serving extends Runnable {
  readonly ready: Checks;
  /** Returns the tasks of the leader. The client writes only during its term. */
  leading(client: Client): Runnable;
}

/** Time for which requests are still served after a stop: the cluster takes a while to send no more. */
const DRAIN_MS = 3000;

/** Serves webhooks and subresources with a certificate that is kept current. */
export async function startServing(flags: NamedFlags, parts: ServingDeps): Promise<Serving> {
  const { client, clock, log, namespace } = parts;
  const names = ownNames(flags.webhookName);
  const service = { namespace, name: names.service };
  const server = await listen({ port: flags.webhookPort }, '--webhook-port', {
    https: true,
    allowedHosts: [...ownHosts(flags, namespace), ...flags.allowedHosts],
    clock,
    log,
    routes: webhookRoutes(reviewParts(flags, parts), new SubjectAccess(client, clock), client),
  });
  const secure = () => {
    const { cert, key } = certificates.current ?? {};
    // Without a CA, those that the system trusts would be accepted.
    if (cert !== undefined && key !== undefined) server.secure({ cert, key, ca: proxy?.current?.ca ?? [] });
  };
  const certificateParts = { client, clock, log, onChange: () => queueMicrotask(secure) };
  const { webhookCertDir } = flags;
  const certificates =
    webhookCertDir === undefined
      ? sharedCertificates(certificateParts, { namespace, name: names.secret }, namesOf(service))
      : directoryCertificates(certificateParts, webhookCertDir);
  const aggregated = flags.instances && flags.subresources;
  const apiServices = [...(aggregated ? API_SERVICES : []), ...(flags.customMetrics ? METRICS_API_SERVICES : [])];
  const proxy = apiServices.length > 0 ? followFrontProxy({ client, clock, log }, secure) : undefined;
  if (proxy !== undefined) {
    const extensions = extensionsOf(flags, parts, aggregated);
    for (const route of aggregatedApi(extensions, { client, proxy: () => proxy.current })) server.mount(route);
  }
  const serve: Runnable = {
    name: server.name,
    async run(signal) {
      await waitForAbort(signal);
      await clock.sleep(DRAIN_MS);
      await server.close();
    },
  };
  return {
    name: 'serving',
    ready: {
      webhook: () => (certificates.current === undefined ? 'no certificate yet' : undefined),
    },
    leading: (guarded) =>
      caBundles({
        client: guarded,
        clock,
        log,
        name: flags.webhookName,
        apiServices,
        service,
        ca: () => certificates.current?.ca,
      }),
    run: (signal) => manager('serving', [serve, certificates, ...(proxy === undefined ? [] : [proxy])]).run(signal),
  };
}

/** Returns the API groups that the operator serves through APIServices. */
function extensionsOf(
  { customMetrics, referenceNode }: NamedFlags,
  { client, dialects, random, events, informers, clock }: ServingDeps,
  aggregated: boolean,
): readonly ApiExtension[] {
  return [
    ...(aggregated ? subresourceExtensions({ client, dialects, random: random.fork('subresources'), events }) : []),
    ...(customMetrics ? clusterMetrics({ client, dialects, informers, clock, referenceNode }) : []),
  ];
}

/** Builds the dependencies of admission for the managed kinds. */
function reviewParts(flags: NamedFlags, { dialects, informers }: ServingDeps): ReviewDeps {
  const runs = new Set(flags.instances ? ['VirtualMachineInstance', 'VirtualMachineInstanceMigration'] : []);
  const acts = actsFor(dialects);
  const actsOn = ({ group, kind }: { readonly group: string; readonly kind: string }) =>
    (group === virtualMachineInstance.group && runs.has(kind)) || acts({ group, kind });
  const find = findAdmission({ actsOn });
  // If KubeVirt itself is installed, its objects are not ours, whatever a webhook configuration still says.
  const isOurs = flags.instances || flags.dialects.includes('kubevirt');
  const foreign = isOurs ? undefined : `${virtualMachineInstance.group}/`;
  return {
    find: (apiVersion, kind) =>
      foreign !== undefined && apiVersion.startsWith(foreign) ? undefined : find(apiVersion, kind),
    lookup: lookupIn(informers, flags),
    ...(flags.instances ? { migrationsOf: migrationsIn(informers) } : {}),
  };
}

/** Returns the host names of the operator in the cluster: the Services of its webhooks and its metrics. */
export function ownHosts({ webhookName: name }: NamedFlags, namespace: string): string[] {
  return [name, ownNames(name).service].flatMap((each) => serviceHosts({ name: each, namespace }));
}

function namesOf({ name, namespace }: { readonly name: string; readonly namespace: string }): string[] {
  return [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`, `${name}.${namespace}`];
}

/** Returns a lookup for admission in caches, which are filled from the start. */
function lookupIn(informers: Informers, { dialects, instances }: OperatorFlags): Lookup {
  const kinds = [
    ...(instances ? [virtualMachineInstance] : []),
    ...dialects.flatMap((name) => REGISTRATIONS[name].lookups ?? []),
  ];
  const caches = new Map(
    kinds.map((kind) => [`${kind.group}/${kind.kind}`, informers.of(resourceTypeFor(kind)).cache]),
  );
  return ({ group, kind }, namespace, name) => caches.get(`${group}/${kind}`)?.get(keyIn(namespace, name)) as never;
}

/** Finds the migrations of an instance in the cache of their controller. */
function migrationsIn(informers: Informers): MigrationsOf {
  const { cache } = informers.of(VMIMS);
  return (namespace, vmiName) => cache.by(migrationsByInstance, keyIn(namespace, vmiName));
}
