import type { Vmi } from '#api/kubevirt/resources';
import { toNumber } from '#platform/base/quantity';
import type { Node } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';
import { podRequests } from '#platform/kube/resources/pod-resources';
import { allocatable, consumptionOf } from '#vm/usage/consumption';
import { allocatedSize } from '../../machine-spec.ts';
import { behaviorOf } from '../behavior.ts';
import { residentBytes } from '../machine/transfers.ts';
import { CPU_DEMAND, isServing, poolKeyOf, sharedCores } from './pool-demand.ts';
import { type Profile, parseProfile, type Traces } from './profile.ts';

export const CPU_PROFILE = 'vimana.io/cpu-profile';
export const MEMORY_PROFILE = 'vimana.io/memory-profile';

export interface SimulatedUsage {
  readonly cores: number;
  readonly bytes: number;
}

const NOTHING: SimulatedUsage = { cores: 0, bytes: 0 };

/** Resources of a pod that profiles refer to: the size of its machine, or its requests. */
export interface UsageBase {
  readonly pod: Pod;
  readonly node: Node | undefined;
  readonly instance: Vmi | undefined;
  /** Number of pods that share the load of the pod's pool. Defaults to 1. */
  readonly serving?: number;
}

/**
 * Computes the usage of pods from their annotations: a ratio of their node, or a profile over time. Only parsed
 * profiles are cached; usage is computed on demand.
 */
export class UsageModel {
  readonly #traces: Traces;
  readonly #profiles = new Map<string, Profile | undefined>();

  constructor(traces: Traces = new Map()) {
    this.#traces = traces;
  }

  /** Returns the usage at a time in milliseconds since the Unix epoch. A pod that does not run uses nothing. */
  usageOf(base: UsageBase, now: number): SimulatedUsage {
    const { pod } = base;
    if (pod.status?.phase !== 'Running') return NOTHING;
    return { cores: this.#cores(base, now), bytes: this.#bytes(base, now) };
  }

  #cores({ pod, node, instance, serving = 1 }: UsageBase, now: number): number {
    const demand = this.#profile(pod, CPU_DEMAND, poolKeyOf(pod));
    if (demand !== undefined && instance !== undefined) {
      return isServing(pod) ? sharedCores(demand(now), serving, vcpus(instance, pod)) : 0;
    }
    const profile = this.#profile(pod, CPU_PROFILE);
    if (profile !== undefined)
      return profile(now) * (instance === undefined ? requestedAmount(pod, 'cpu') : vcpus(instance, pod));
    return consumptionOf(pod, node, 'cpu') ?? 0;
  }

  #bytes({ pod, node, instance }: UsageBase, now: number): number {
    const own = instance === undefined ? requestedAmount(pod, 'memory') : allocatedSize(instance, pod).memoryBytes;
    const limit = instance === undefined ? allocatable(node, 'memory') : own;
    const profile = this.#profile(pod, MEMORY_PROFILE);
    if (profile !== undefined) return Math.min(limit, profile(now) * own);
    const given = consumptionOf(pod, node, 'memory');
    if (given !== undefined) return given;
    if (instance === undefined) return 0;
    const { annotations } = pod.metadata;
    return residentBytes(own, behaviorOf(instance.metadata.annotations, annotations).memoryUtilization);
  }

  /** Returns the profile, or undefined if it is missing or invalid. */
  #profile({ metadata }: Pod, annotation: string, seed = metadata.uid ?? ''): Profile | undefined {
    const text = metadata.annotations?.[annotation];
    if (text === undefined) return undefined;
    const key = `${seed}/${text}`;
    if (this.#profiles.has(key)) return this.#profiles.get(key);
    if (this.#profiles.size > MAX_PROFILES) this.#profiles.clear();
    let profile: Profile | undefined;
    try {
      profile = parseProfile(text, seed, this.#traces);
    } catch {
      profile = undefined;
    }
    this.#profiles.set(key, profile);
    return profile;
  }
}

const MAX_PROFILES = 50_000;

function vcpus(instance: Vmi, pod: Pod): number {
  const { cores = 1, threads = 1 } = instance.spec.domain.cpu ?? {};
  return allocatedSize(instance, pod).sockets * cores * threads;
}

function requestedAmount(pod: Pod, resource: 'cpu' | 'memory'): number {
  const amount = podRequests(pod).get(resource);
  return amount === undefined ? 0 : toNumber(amount);
}
