import { jsonEqual } from '#platform/base/json-equal';
import { SERVICES, type Service } from '#platform/kube/kinds/core';
import { ENDPOINTS, type Endpoints } from '#platform/kube/kinds/network';
import type { Pod } from '#platform/kube/kinds/pod';
import { ignoreNotFound, isNamespaceTerminating } from '#platform/kube/kube-error';
import { type Context, type Controller, watchSource } from '#platform/runtime/controller';
import { Expectations } from '#platform/runtime/expectations';
import { keyOf } from '#platform/runtime/key';
import { selectedPods, servicesOfPods } from './selected-pods.ts';
import { HEADLESS, hasNoClusterIp, isSelecting, TRIGGER_TIME } from './service-pods.ts';
import { isOverCapacity, subsetsOf } from './subsets.ts';
import { TriggerTimes } from './trigger-times.ts';

const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
const OWN_NAME = 'endpoint-controller';
const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity';

/** Publishes the addresses of the pods of Services as Endpoints, for clients that do not read EndpointSlices. */
export function endpointsController(): Controller<Service> {
  const expectations = new Expectations();
  const times = new TriggerTimes();
  return {
    name: 'endpoints',
    for: SERVICES,
    watches: [servicesOfPods, watchSource(ENDPOINTS, (endpoints) => [keyOf(endpoints)])],
    async reconcile(service, context) {
      const { cache } = context;
      if (!isSelecting(service) || !expectations.met(keyOf(service), cache(ENDPOINTS))) return;
      const pods = selectedPods(service, context);
      await publish(service, pods, times.next(service, pods), context, expectations);
    },
    forget(key) {
      expectations.forget(key);
      times.forget(key);
    },
  };
}

async function publish(
  service: Service,
  pods: readonly Pod[],
  time: string | undefined,
  { cache, client }: Context,
  expectations: Expectations,
): Promise<void> {
  const key = keyOf(service);
  const present = cache(ENDPOINTS).get(key);
  const desired = desiredEndpoints(service, pods, present);
  if (present !== undefined && isSame(present, desired)) return;
  const annotations = { ...desired.metadata.annotations, ...(time === undefined ? {} : { [TRIGGER_TIME]: time }) };
  const dated = { ...desired, metadata: { ...desired.metadata, annotations } };
  try {
    const written = present === undefined ? client.create(ENDPOINTS, dated) : client.update(ENDPOINTS, dated);
    expectations.wrote(key, await written);
  } catch (error) {
    if (!isNamespaceTerminating(error)) throw error;
  }
}

function desiredEndpoints(service: Service, pods: readonly Pod[], present: Endpoints | undefined): Endpoints {
  const { name = '', namespace = '', labels = {} } = service.metadata;
  const { [TRIGGER_TIME]: _time, [OVER_CAPACITY]: _over, ...annotations } = present?.metadata.annotations ?? {};
  const { [HEADLESS]: _headless, ...inherited } = labels;
  const { subsets: _subsets, ...rest } = present ?? { apiVersion: 'v1', kind: 'Endpoints' };
  return {
    ...rest,
    metadata: {
      ...present?.metadata,
      name,
      namespace,
      labels: { ...inherited, ...(hasNoClusterIp(service) ? { [HEADLESS]: '' } : {}), [MANAGED_BY]: OWN_NAME },
      annotations: { ...annotations, ...(isOverCapacity(pods) ? { [OVER_CAPACITY]: 'truncated' } : {}) },
    },
    subsets: subsetsOf(service, pods),
  };
}

/** Compares what is published, except for the time of the change. */
function isSame(present: Endpoints, desired: Endpoints): boolean {
  const { [TRIGGER_TIME]: _time, ...annotations } = present.metadata.annotations ?? {};
  return (
    jsonEqual(present.subsets ?? [], desired.subsets ?? []) &&
    jsonEqual(present.metadata.labels ?? {}, desired.metadata.labels ?? {}) &&
    jsonEqual(annotations, desired.metadata.annotations ?? {})
  );
}

/** Deletes the Endpoints of Services that are gone. Those that users create before their Service stay. */
export function endpointsCollector(): Controller<Endpoints> {
  const gone = new Set<string>();
  return {
    name: 'endpoints of deleted services',
    for: ENDPOINTS,
    watches: [
      watchSource(SERVICES, (service, _context, { type }) => {
        const key = keyOf(service);
        if (type !== 'deleted') gone.delete(key);
        else gone.add(key);
        return type === 'deleted' ? [key] : [];
      }),
    ],
    async reconcile({ metadata }, { cache, client }) {
      const { name = '', namespace = '', uid = '', labels } = metadata;
      const key = keyOf({ metadata });
      const isLeft = gone.has(key) || labels?.[MANAGED_BY] === OWN_NAME;
      if (!isLeft || cache(SERVICES).get(key) !== undefined) return;
      await ignoreNotFound(client.delete(ENDPOINTS, name, { namespace, preconditions: { uid } }));
      gone.delete(key);
    },
    forget: (key) => void gone.delete(key),
  };
}
