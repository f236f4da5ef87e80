import { milliQuantityOf, milliValue, quantityOf, value } from '#platform/base/quantity';
import type { Pod } from '#platform/kube/kinds/pod';
import type { Amounts } from '#platform/kube/resources/amounts';
import { hasPodLevelRequests, podRequests } from '#platform/kube/resources/pod-resources';
import { CPU, EPHEMERAL_STORAGE, isScalar, MEMORY } from './amounts.ts';

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

const DEFAULT_CPU = milliQuantityOf(100);
const DEFAULT_MEMORY = quantityOf(200 * 1024 * 1024);
/** A pod holds what its node has allocated until a resize is done. */
const HELD = { status: 'pod' } as const;

export function requestsOf(pod: Pod): Requests {
  const requested = podRequests(pod, HELD);
  const missing = defaultsOf(pod, requested);
  const nonZero = missing.size === 0 ? requested : podRequests(pod, { ...HELD, missing });
  return {
    cpu: millicores(requested),
    memory: units(requested, MEMORY),
    ephemeralStorage: units(requested, EPHEMERAL_STORAGE),
    scalars: scalarsOf(requested),
    nonZeroCpu: millicores(nonZero),
    nonZeroMemory: units(nonZero, MEMORY),
  };
}

function millicores(amounts: Amounts): number {
  const amount = amounts.get(CPU);
  return amount === undefined ? 0 : milliValue(amount);
}

function units(amounts: Amounts, name: string): number {
  const amount = amounts.get(name);
  return amount === undefined ? 0 : value(amount);
}

function scalarsOf(amounts: Amounts): [name: string, amount: number][] {
  const scalars: [string, number][] = [];
  for (const [name, amount] of amounts) if (isScalar(name) && amount.nano !== 0n) scalars.push([name, value(amount)]);
  return scalars;
}

/** Returns the default requests of a container without any, none if the pod requests them at pod level. */
function defaultsOf(pod: Pod, requested: Amounts): Amounts {
  const ofPod = hasPodLevelRequests(pod);
  const defaults: Amounts = new Map();
  if (!ofPod || !requested.has(CPU)) defaults.set(CPU, DEFAULT_CPU);
  if (!ofPod || !requested.has(MEMORY)) defaults.set(MEMORY, DEFAULT_MEMORY);
  return defaults;
}
