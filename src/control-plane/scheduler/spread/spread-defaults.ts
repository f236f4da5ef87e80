import type { ClusterView } from '../framework/cluster-view.ts';
import type { PodInfo } from '../pod/pod-info.ts';
import { type SpreadConstraint, type SpreadConstraintSpec, spreadConstraintOf } from '../pod/spread-constraint.ts';

/** Constraints for pods that have none of their own. */
export interface SpreadDefaults {
  readonly constraints: readonly SpreadConstraintSpec[];
  /** True for the built-in defaults, with which nodes may lack labels. */
  readonly builtIn: boolean;
}

export const BUILT_IN_SPREAD: SpreadDefaults = {
  builtIn: true,
  constraints: [
    { topologyKey: 'kubernetes.io/hostname', maxSkew: 3, whenUnsatisfiable: 'ScheduleAnyway' },
    { topologyKey: 'topology.kubernetes.io/zone', maxSkew: 5, whenUnsatisfiable: 'ScheduleAnyway' },
  ],
};

const NONE: readonly SpreadConstraint[] = [];

/** Returns the hard or soft constraints of a pod, or the defaults applied to the pods that do the same work. */
export function spreadOf(
  pod: PodInfo,
  hard: boolean,
  { constraints }: SpreadDefaults,
  cluster: ClusterView,
): readonly SpreadConstraint[] {
  if (pod.spread.length > 0) return pod.spread.filter((constraint) => constraint.hard === hard);
  const desired = constraints.filter(({ whenUnsatisfiable }) => (whenUnsatisfiable === 'DoNotSchedule') === hard);
  const peers = desired.length === 0 ? undefined : cluster.peersOf(pod);
  if (peers === undefined) return NONE;
  return desired.map((spec) => ({ ...spreadConstraintOf(spec, undefined), selector: peers }));
}
