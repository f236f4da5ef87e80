import type { Container, Pod, PodSpec, ResourceList } from '#platform/kube/kinds/pod';
import { type Amounts, addTo, amountsOf, CPU, EPHEMERAL_STORAGE, isScalar, MEMORY, raiseTo } from './amounts.ts';

/** Resources that a pod takes on a node: millicores, bytes and counts. */
export interface Requests {
  readonly cpu: number;
  readonly memory: number;
  readonly ephemeralStorage: number;
  /** Non-zero amounts of extended resources, huge pages and the like. */
  readonly scalars: readonly (readonly [name: string, amount: number])[];
  /** Amounts for scoring, in which a container without requests counts with a small default. */
  readonly nonZeroCpu: number;
  readonly nonZeroMemory: number;
}

const LITTLE_CPU = 100;
const LITTLE_MEMORY = 200 * 1024 * 1024;
const NOTHING: Amounts = new Map();
/** Resources that can be requested at pod level. */
const POD_LEVEL = new Set([CPU, MEMORY]);

export function requestsOf(pod: Pod): Requests {
  const { spec } = pod;
  const asked = total(pod, NOTHING);
  const little = littleOf(spec, asked);
  const nonZero = little.size === 0 ? asked : total(pod, little);
  return {
    cpu: asked.get(CPU) ?? 0,
    memory: asked.get(MEMORY) ?? 0,
    ephemeralStorage: asked.get(EPHEMERAL_STORAGE) ?? 0,
    scalars: [...asked].filter(([name, amount]) => amount !== 0 && isScalar(name)),
    nonZeroCpu: nonZero.get(CPU) ?? 0,
    nonZeroMemory: nonZero.get(MEMORY) ?? 0,
  };
}

/** Returns the default amounts of a container without requests, none if the pod requests them at pod level. */
function littleOf(spec: PodSpec, asked: Amounts): Amounts {
  const ofPod = spec.resources?.requests !== undefined && Object.keys(spec.resources.requests).some(isPodLevel);
  const little: Amounts = new Map();
  if (!ofPod || !asked.has(CPU)) little.set(CPU, LITTLE_CPU);
  if (!ofPod || !asked.has(MEMORY)) little.set(MEMORY, LITTLE_MEMORY);
  return little;
}

/**
 * Sums all containers, or takes the startup if that needs more. Init containers run one after another, each beside the
 * restartable ones before it.
 */
function total(pod: Pod, missing: Amounts): Amounts {
  const { spec } = pod;
  const together: Amounts = new Map();
  for (const container of spec.containers) addTo(together, requestsOfContainer(pod, container, missing));
  const staying: Amounts = new Map();
  const start: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const own = requestsOfContainer(pod, container, missing);
    if (container.restartPolicy === 'Always') {
      addTo(together, own);
      addTo(staying, own);
      raiseTo(start, staying);
    } else {
      addTo(own, staying);
      raiseTo(start, own);
    }
  }
  raiseTo(together, start);
  for (const [name, amount] of amountsOf(spec.resources?.requests)) if (isPodLevel(name)) together.set(name, amount);
  addTo(together, amountsOf(spec.overhead));
  return together;
}

function requestsOfContainer(pod: Pod, { name, resources }: Container, missing: Amounts): Amounts {
  const amounts = amountsOf(resources?.requests);
  // A container that is being resized holds the larger of its allocated and its desired amount.
  const status = pod.status?.containerStatuses?.find((each) => (each as ResizedStatus).name === name);
  if (status !== undefined) {
    const { allocatedResources, resources: actual } = status as ResizedStatus;
    if (allocatedResources !== undefined) raiseTo(amounts, amountsOf(allocatedResources));
    if (actual?.requests !== undefined) raiseTo(amounts, amountsOf(actual.requests));
  }
  for (const [resource, amount] of missing) if (!amounts.has(resource)) amounts.set(resource, amount);
  return amounts;
}

/** Reports whether the node reports allocated amounts of containers, which may exceed their spec. */
export function isResized({ status }: Pod): boolean {
  return (status?.containerStatuses ?? []).some((each) => {
    const { allocatedResources, resources } = each as ResizedStatus;
    return allocatedResources !== undefined || resources !== undefined;
  });
}

interface ResizedStatus {
  readonly name?: string;
  readonly allocatedResources?: ResourceList;
  readonly resources?: { readonly requests?: ResourceList };
}

const isPodLevel = (name: string): boolean => POD_LEVEL.has(name) || name.startsWith('hugepages-');
