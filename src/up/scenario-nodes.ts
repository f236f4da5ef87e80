import type { Fleet } from '../node/simulated/fleet.ts';
import type { NodeGroup } from '../simulation/course/scenario-spec.ts';
import { poolOf } from '../simulation/play/node-groups.ts';
import type { ScenarioNodes } from '../simulation/play/scenario-controller.ts';

/** The nodes that scenarios bring, as pools of the fleet; they go with their scenario. */
export function scenarioNodes(fleet: Pick<Fleet, 'set'>): ScenarioNodes {
  const brought = new Map<string, Map<string, NodeGroup>>();
  return {
    async set(scenario, group, count) {
      const groups = brought.get(scenario) ?? new Map<string, NodeGroup>();
      brought.set(scenario, groups.set(group.name, group));
      await fleet.set({ ...poolOf(group), name: `${scenario}/${group.name}`, count });
    },
    async clear(scenario) {
      const groups = brought.get(scenario)?.values() ?? [];
      brought.delete(scenario);
      for (const group of groups) await fleet.set({ ...poolOf(group), name: `${scenario}/${group.name}`, count: 0 });
    },
  };
}
