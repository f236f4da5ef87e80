import type { NodeGroup } from '#fleet/simulation/engine/scenario-spec';
import { poolOf } from '#fleet/simulation/runner/node-groups';
import { PLAYED_LABEL, PLAYED_UID_LABEL, scenarioSelector } from '#fleet/simulation/runner/played-label';
import type { ScenarioNodes } from '#fleet/simulation/runner/scenario';
import type { Client } from '#platform/kube/client';
import { NODES } from '#platform/kube/kinds/node';
import { isNotFound } from '#platform/kube/kube-error';
import { splitKey } from '#platform/runtime/key';
import type { SimulatedFleet } from '#vm/node/simulated/simulated-fleet';

/** Manages the nodes of scenarios as pools of the fleet. They are deleted with their scenario. */
export function scenarioNodes(fleet: Pick<SimulatedFleet, 'set'>): ScenarioNodes {
  const brought = new Map<string, Map<string, NodeGroup>>();
  return {
    async set(scenario, uid, group, count) {
      const groups = brought.get(scenario) ?? new Map<string, NodeGroup>();
      brought.set(scenario, groups.set(group.name, group));
      const pool = poolOf(group);
      const own = { [PLAYED_LABEL]: scenarioSelector(splitKey(scenario).name), [PLAYED_UID_LABEL]: uid };
      const labels = { ...pool.labels, ...own };
      await fleet.set({ ...pool, labels, name: `${scenario}/${group.name}`, count });
    },
    async clear(scenario) {
      const groups = brought.get(scenario)?.values() ?? [];
      brought.delete(scenario);
      for (const group of groups) await fleet.set({ ...poolOf(group), name: `${scenario}/${group.name}`, count: 0 });
    },
  };
}

/** Deletes the nodes of scenarios from an earlier process, since no scenario outlives its process. */
export async function clearScenarioNodes(client: Client): Promise<void> {
  const { items } = await client.list(NODES, { labelSelector: `${PLAYED_UID_LABEL},vimana.io/runtime=simulated` });
  for (const { metadata } of items) {
    await client.delete(NODES, metadata.name ?? '').catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}
