import type { SimulationScenario } from '#api/simulation/simulation-scenario';

/** Spec of a scenario with all defaults. */
export type ScenarioSpec = SimulationScenario['spec'];
export type NodeGroup = NonNullable<ScenarioSpec['nodes']>[number];
export type VmPool = NonNullable<ScenarioSpec['vmPools']>[number];
export type LoadProfile = NonNullable<ScenarioSpec['profiles']>[number];
export type LoadSignal = LoadProfile['cpu'];
export type TimelineEvent = NonNullable<ScenarioSpec['timeline']>[number];
export type TaskGenerator = NonNullable<ScenarioSpec['taskGenerators']>[number];
export type ConditionalEvent = NonNullable<ScenarioSpec['conditionalEvents']>[number];
export type ScenarioAction = ConditionalEvent['actions'][number];
export type Metric = ConditionalEvent['when']['metric'];

/** Returns all actions of a scenario, from the timeline and conditional events. */
export function actionsOf({ timeline = [], conditionalEvents = [] }: ScenarioSpec): readonly ScenarioAction[] {
  return [...timeline, ...conditionalEvents.flatMap(({ actions }) => actions)];
}
