import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { Client, Patch, ResourceType } from '#platform/kube/client';
import { resourceType } from '#platform/kube/kinds/resource-type';
import { isNotFound } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Runnable } from '#platform/runtime/runnable';

interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

interface HookConfiguration extends KubeObject {
  readonly webhooks?: readonly {
    readonly name: string;
    readonly clientConfig: { readonly service?: ServiceName; readonly caBundle?: string };
  }[];
}

interface ApiService extends KubeObject {
  readonly spec: { readonly service?: ServiceName; readonly caBundle?: string };
}

const REGISTRATION = 'admissionregistration.k8s.io/v1';
const CONFIGURATIONS = [
  resourceType<HookConfiguration>(
    REGISTRATION,
    'MutatingWebhookConfiguration',
    'mutatingwebhookconfigurations',
    'Cluster',
  ),
  resourceType<HookConfiguration>(
    REGISTRATION,
    'ValidatingWebhookConfiguration',
    'validatingwebhookconfigurations',
    'Cluster',
  ),
] as const;
const API_SERVICES = resourceType<ApiService>('apiregistration.k8s.io/v1', 'APIService', 'apiservices', 'Cluster');

const LOOK_EVERY_MS = 15_000;
const RETRY_MS = 2000;

export interface CaBundleOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** Name of the webhook configurations. */
  readonly name: string;
  readonly apiServices: readonly string[];
  /** Service of this operator. Entries that point elsewhere are not ours. */
  readonly service: ServiceName;
  /** Returns the CA to trust as PEM, or undefined if it is not known or not ours to set. */
  readonly ca: () => string | undefined;
}

/** Writes the CA bundle of this operator to existing configurations. It creates none. */
export function caBundles({ client, clock, log, name, apiServices, service, ca }: CaBundleOptions): Runnable {
  async function put<T extends KubeObject>(
    type: ResourceType<T>,
    object: string,
    patchFor: (found: T, bundle: string) => Patch | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const pem = ca();
    if (pem === undefined) return;
    const found = await client.get(type, object, { signal }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
    const patch = found === undefined ? undefined : patchFor(found, Buffer.from(pem).toString('base64'));
    if (patch === undefined) return;
    await client.patch(type, object, patch, { fieldManager: 'vimana-operator', signal });
    log.info({ kind: type.kind, name: object }, 'set the CA bundle');
  }

  return {
    name: 'CA bundles',
    async run(signal) {
      while (!signal.aborted) {
        let pause = ca() === undefined ? RETRY_MS : LOOK_EVERY_MS;
        try {
          for (const type of CONFIGURATIONS) {
            await put(type, name, (found, bundle) => hookPatch(found, service, bundle), signal);
          }
          for (const each of apiServices) {
            await put(API_SERVICES, each, (found, bundle) => apiServicePatch(found, service, bundle), signal);
          }
        } catch (error) {
          pause = RETRY_MS;
          if (!signal.aborted) log.warn({ err: error }, 'cannot set the CA bundle; retrying');
        }
        await clock.sleep(pause, signal).catch(() => {});
      }
    },
  };
}

/**
 * Builds a patch that sets the bundle of hooks that call the service and have another one. Returns undefined if there
 * are none.
 */
export function hookPatch(
  { webhooks = [] }: HookConfiguration,
  service: ServiceName,
  bundle: string,
): Patch | undefined {
  const body = webhooks.flatMap(({ name, clientConfig }, at) => {
    if (!isSame(clientConfig.service, service) || clientConfig.caBundle === bundle) return [];
    return [
      // Another hook may have been inserted before it since.
      { op: 'test', path: `/webhooks/${at}/name`, value: name },
      { op: 'add', path: `/webhooks/${at}/clientConfig/caBundle`, value: bundle },
    ];
  });
  return body.length === 0 ? undefined : { type: 'json', body };
}

export function apiServicePatch({ spec }: ApiService, service: ServiceName, bundle: string): Patch | undefined {
  if (!isSame(spec.service, service) || spec.caBundle === bundle) return undefined;
  return { type: 'merge', body: { spec: { caBundle: bundle } } };
}

function isSame(a: ServiceName | undefined, b: ServiceName): boolean {
  return a?.name === b.name && a.namespace === b.namespace;
}
