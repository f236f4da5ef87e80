import { SIMULATED_VMS } from '#fleet/library/simulated-vm';
import { NODES } from '#platform/kube/kinds/node';
import type { Context } from '#platform/runtime/controller';
import { keyIn, keyOf } from '#platform/runtime/key';
import { type Collision, collisionOf, formatTaken, namesOf, type ScenarioNames } from './collision.ts';
import { SCENARIOS, type ScenarioNodes, type ScenarioObject } from './scenario.ts';
import type { VmNameClaims } from './vm-name-claims.ts';

/**
 * Ensures that names are free and nodes exist. Returns 'wait' until then, and the taken names if that will never
 * succeed.
 */
export async function prepareScenario(
  scenario: ScenarioObject,
  nodes: ScenarioNodes,
  claims: VmNameClaims,
  context: Context,
): Promise<'ready' | 'wait' | { readonly taken: string }> {
  const { uid, namespace } = scenario.metadata;
  const key = keyOf(scenario);
  const names = namesOf(scenario.spec);
  const collision = collisionWithExisting(scenario, names, context);
  if (collision !== undefined) return collision === 'leaving' ? 'wait' : collision;
  const taken = claims.claim(
    key,
    names.vms.map((name) => keyIn(namespace, name)),
  );
  if (taken.length > 0) {
    return { taken: formatTaken(taken.map(({ vm, scenario: by }) => `VM ${vm} of the scenario ${by}`)) };
  }
  try {
    for (const group of scenario.spec.nodes ?? []) await nodes.set(key, uid, group, group.count);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { taken: formatTaken([error.message]) };
  }
  return names.nodes.some((node) => context.cache(NODES).get(node) === undefined) ? 'wait' : 'ready';
}

function collisionWithExisting(scenario: ScenarioObject, names: ScenarioNames, { cache }: Context): Collision {
  const { uid, namespace } = scenario.metadata;
  return collisionOf(names, {
    uid,
    node: (name) => cache(NODES).get(name),
    vm: (name) => cache(SIMULATED_VMS).get(keyIn(namespace, name)),
    scenario: (owner) => {
      const found = [...cache(SCENARIOS).all()].find((each) => each.metadata.uid === owner);
      return found === undefined ? undefined : keyOf(found);
    },
  });
}
