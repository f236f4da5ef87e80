import { SERVICES, type Service } from '#platform/kube/kinds/core';
import { ENDPOINT_SLICES, type EndpointSlice } from '#platform/kube/kinds/network';
import { NODES } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';
import type { KubeMeta } from '#platform/kube/kube-object';
import type { Context, Controller } from '#platform/runtime/controller';
import { Expectations } from '#platform/runtime/expectations';
import { keyOf } from '#platform/runtime/key';
import { controllerRef } from '#platform/runtime/ownership/claim-objects';
import { applySlicePlan } from './apply-slice-plan.ts';
import { selectedPods, servicesOfPods } from './selected-pods.ts';
import {
  familiesOf,
  HEADLESS,
  hasEndpoint,
  hasNoClusterIp,
  isSelecting,
  portsOf,
  TRIGGER_TIME,
} from './service-pods.ts';
import { sliceEndpoint } from './slice-endpoint.ts';
import { groupByPorts, planSlices, type SlicePlan } from './slice-plan.ts';
import { byService, MANAGED_BY, SERVICE_NAME, servicesOfSlices } from './slices-by-service.ts';
import { TriggerTimes } from './trigger-times.ts';

const OWN_NAME = 'endpointslice-controller.k8s.io';
/** Time after which a pod is looked at again whose node is not known yet. */
const NODE_RECHECK_MS = 15_000;

/** Publishes the addresses of the pods of Services as EndpointSlices. */
export function endpointSliceController(): Controller<Service> {
  const expectations = new Expectations();
  const times = new TriggerTimes();
  return {
    name: 'endpoint slice',
    for: SERVICES,
    reads: [NODES],
    watches: [servicesOfPods, servicesOfSlices(OWN_NAME)],
    async reconcile(service, context) {
      const { cache } = context;
      if (!isSelecting(service) || !expectations.met(keyOf(service), cache(ENDPOINT_SLICES))) return undefined;
      const pods = selectedPods(service, context);
      const time = times.next(service, pods);
      const placed = pods.filter((pod) => isPlaced(service, pod, context));
      const annotations = time === undefined ? {} : { [TRIGGER_TIME]: time };
      for (const plan of plansOf(service, placed, context)) {
        await applySlicePlan(plan, { service, annotations, client: context.client, expectations });
      }
      return placed.length === pods.length ? undefined : { requeueAfterMs: NODE_RECHECK_MS };
    },
    forget(key) {
      expectations.forget(key);
      times.forget(key);
    },
  };
}

/** Reports whether the node of a pod is known. Pods on nodes that do not exist receive no traffic. */
function isPlaced({ spec }: Service, pod: Pod, { cache }: Context): boolean {
  if (!hasEndpoint(pod) || spec?.publishNotReadyAddresses === true) return true;
  return cache(NODES).get(pod.spec.nodeName ?? '') !== undefined;
}

function plansOf(service: Service, pods: readonly Pod[], { cache }: Context): SlicePlan[] {
  const all = [...cache(ENDPOINT_SLICES).by(byService(OWN_NAME), keyOf(service))];
  const existing = all.filter((slice) => isOwn(slice, service));
  const families = familiesOf(service);
  const foreign = all.filter(
    (slice) => !existing.includes(slice) || !(families as string[]).includes(slice.addressType),
  );
  const metadata = metadataOf(service);
  const plans = families.map((addressType) => {
    const endpoints = pods.filter(hasEndpoint).flatMap((pod) => {
      const node = cache(NODES).get(pod.spec.nodeName ?? '');
      const endpoint = sliceEndpoint(pod, node, service, addressType);
      return endpoint === undefined ? [] : [[portsOf(service, pod), endpoint] as const];
    });
    const present = existing.filter((slice) => slice.addressType === addressType);
    return planSlices({ metadata, addressType }, groupByPorts(endpoints), present);
  });
  return [...plans, { create: [], update: [], delete: foreign }];
}

const isOwn = ({ metadata }: EndpointSlice, service: Service): boolean =>
  metadata.ownerReferences?.some(({ uid, kind }) => uid === service.metadata.uid && kind === 'Service') === true;

function metadataOf(service: Service): KubeMeta {
  const { name = '', namespace = '', labels = {} } = service.metadata;
  const { [SERVICE_NAME]: _name, [MANAGED_BY]: _manager, [HEADLESS]: _headless, ...inherited } = labels;
  return {
    generateName: `${name}-`,
    namespace,
    labels: {
      ...inherited,
      ...(hasNoClusterIp(service) ? { [HEADLESS]: '' } : {}),
      [SERVICE_NAME]: name,
      [MANAGED_BY]: OWN_NAME,
    },
    ownerReferences: [controllerRef(SERVICES, service)],
  };
}
