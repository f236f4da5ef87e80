import { resourceTypeFor } from '#api/kubevirt/resources';
import { type SimulationScenario, simulationScenario } from '#api/simulation/simulation-scenario';
import type { ClusterFleet } from '#fleet/exporter/cluster-fleet';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Informers } from '#platform/runtime/informers';
import type { NodeGroup } from '../engine/scenario-spec.ts';

export type ScenarioObject = SimulationScenario & KubeObject;
export const SCENARIOS = resourceTypeFor(simulationScenario);

/** Provider of simulated nodes for scenarios that define their own. */
export interface ScenarioNodes {
  /** Sets the size of a node group of a scenario. Throws a RangeError if the names are taken. */
  set(scenario: string, uid: string, group: NodeGroup, count: number): Promise<void>;
  /** Deletes the nodes of a scenario. */
  clear(scenario: string): Promise<void>;
}

export interface ScenarioControllerDeps {
  readonly informers: Informers;
  readonly fleet: Pick<ClusterFleet, 'loads'>;
  readonly nodes: ScenarioNodes;
}
