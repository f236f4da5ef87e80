import { add, isZero, quantityOf } from '#platform/base/quantity';
import type { ResourceList, Resources } from '../kinds/pod.ts';
import { type Amounts, addTo, amountsOf, raiseTo } from './amounts.ts';
import { podStatusAmounts, resizedAmounts } from './resized-amounts.ts';

interface ContainerSpec {
  readonly name?: string;
  readonly restartPolicy?: string;
  readonly resources?: Resources;
}

/** Parts of a pod that its requests and limits follow from. */
export interface PodResources {
  readonly spec: {
    readonly containers?: readonly ContainerSpec[] | null;
    readonly initContainers?: readonly ContainerSpec[];
    readonly resources?: Resources;
    readonly overhead?: ResourceList;
  };
  readonly status?: object;
}

export interface PodResourcesOptions {
  /**
   * Whether a pod that is being resized in place counts with the larger of its desired and its actual amounts: those of
   * its containers only, or also those at pod level. By default only the spec counts.
   */
  readonly status?: 'containers' | 'pod';
  /** Leaves out the overhead of the runtime. */
  readonly excludeOverhead?: boolean;
  /** Requests of a container for resources that it does not request itself. */
  readonly missing?: Amounts;
}

/**
 * Returns the requests of a pod: the sum of its containers, or its startup if that needs more, plus the overhead of its
 * runtime. The rules are those of PodRequests in Kubernetes, which are part of its API.
 */
export function podRequests(pod: PodResources, options: PodResourcesOptions = {}): Amounts {
  const amounts = podAmounts(pod, 'requests', options);
  if (options.excludeOverhead !== true) addTo(amounts, amountsOf(pod.spec.overhead));
  return amounts;
}

/** Returns the limits of a pod. The overhead of its runtime counts only for resources with a limit. */
export function podLimits(pod: PodResources, options: PodResourcesOptions = {}): Amounts {
  const { missing: _onlyForRequests, ...rest } = options;
  const amounts = podAmounts(pod, 'limits', rest);
  if (options.excludeOverhead === true) return amounts;
  for (const [name, amount] of amountsOf(pod.spec.overhead)) {
    const limit = amounts.get(name);
    if (limit !== undefined && !isZero(limit)) amounts.set(name, add(limit, amount));
  }
  return amounts;
}

/** Reports whether a pod requests or limits resources at pod level. */
export function hasPodLevelResources({ spec: { resources = {} } }: PodResources): boolean {
  return hasPodLevel(resources.requests) || hasPodLevel(resources.limits);
}

/** Reports whether a pod requests resources at pod level. */
export function hasPodLevelRequests({ spec: { resources } }: PodResources): boolean {
  return hasPodLevel(resources?.requests);
}

const hasPodLevel = (list: ResourceList | undefined) => list !== undefined && Object.keys(list).some(isPodLevel);

/** Reports whether a resource can be requested and limited at pod level. */
function isPodLevel(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}

/** Returns the amounts of a container, which can be resized if it keeps running. */
type ContainerAmounts = (container: ContainerSpec, keepsRunning: boolean) => Amounts;

function podAmounts(pod: PodResources, which: keyof Resources, options: PodResourcesOptions): Amounts {
  const amountsOfContainer = containerAmounts(pod, which, options);
  const amounts = aggregate(pod.spec, amountsOfContainer);
  const own = pod.spec.resources?.[which];
  if (own === undefined) return amounts;
  const actual = options.status === 'pod' ? podStatusAmounts(pod, which) : undefined;
  // Resources at pod level replace the sum of the containers.
  for (const [name, amount] of amountsOf(own)) {
    if (isPodLevel(name)) amounts.set(name, actual === undefined ? amount : (actual.get(name) ?? quantityOf(0)));
  }
  return amounts;
}

function containerAmounts(
  pod: PodResources,
  which: keyof Resources,
  { status, missing }: PodResourcesOptions,
): ContainerAmounts {
  const resized = status === undefined ? undefined : resizedAmounts(pod, which);
  return (container, keepsRunning) => {
    const actual = keepsRunning ? resized?.(container) : undefined;
    const amounts = actual ?? amountsOf(container.resources?.[which]);
    if (missing !== undefined) for (const [name, amount] of missing) if (!amounts.has(name)) amounts.set(name, amount);
    return amounts;
  };
}

/** Sums the containers. Init containers run one after another, each beside the restartable ones before it. */
function aggregate(
  { containers, initContainers }: PodResources['spec'],
  amountsOfContainer: ContainerAmounts,
): Amounts {
  const running: Amounts = new Map();
  for (const container of containers ?? []) addTo(running, amountsOfContainer(container, true));
  if (initContainers === undefined) return running;
  const sidecars: Amounts = new Map();
  const starting: Amounts = new Map();
  for (const container of initContainers) {
    const restartable = container.restartPolicy === 'Always';
    const own = amountsOfContainer(container, restartable);
    if (restartable) {
      addTo(running, own);
      addTo(sidecars, own);
      raiseTo(starting, sidecars);
    } else {
      addTo(own, sidecars);
      raiseTo(starting, own);
    }
  }
  raiseTo(running, starting);
  return running;
}
