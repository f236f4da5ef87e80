import { VMS } from '#api/kubevirt/resources';
import { FREEZE_ANNOTATION } from '#api/launcher';
import { NODES } from '#platform/kube/kinds/node';
import { RESOURCE_QUOTAS } from '#platform/kube/kinds/resource-quota';
import { isAlreadyExists, isNotFound, KubeError } from '#platform/kube/kube-error';
import { NO_FAULTS } from '../faulty-client.ts';
import { type ChaosAction, CRAMPED, NODE_NAMES, PLACES } from './chaos-action.ts';
import { FAULT_ACTIONS } from './fault-actions.ts';
import { FAILURE_ANNOTATIONS } from './new-vm.ts';
import type { SoakHarness } from './soak-harness.ts';
import { createClaim, USER_ACTIONS } from './user-actions.ts';

const ACTIONS: readonly (readonly [string, ChaosAction])[] = [...USER_ACTIONS, ...FAULT_ACTIONS].flatMap(
  ([name, weight, action]) => Array.from({ length: weight }, () => [name, action] as const),
);

/** Runs one random action of a user or a fault. A rejected action is ignored. */
export async function runRandomAction(harness: SoakHarness): Promise<string> {
  const { random, admin } = harness;
  const [name, action] = random.pick(ACTIONS);
  try {
    return `${name} ${(await action(admin, random, harness)) ?? ''}`;
  } catch (error) {
    if (error instanceof KubeError) return `${name}: refused, ${error.message}`;
    throw error;
  }
}

/** Ends all faults, so that everything runs again without interference. */
export async function clearFaults(harness: SoakHarness): Promise<void> {
  const { admin, faults, processes, clock, random } = harness;
  Object.assign(faults, NO_FAULTS);
  const { items } = await admin.list(NODES);
  // A fleet gives up deleted nodes, and a new fleet creates them again.
  if (items.length < NODE_NAMES.length) processes.find(({ name }) => name === 'fleet')?.kill();
  for (const process of processes) {
    harness.stall(process.name, false).wake();
    process.start();
  }
  await clock.advance(1000);
  for (const node of NODE_NAMES) {
    const body = { metadata: { annotations: { [FREEZE_ANNOTATION]: null } }, spec: { unschedulable: null } };
    await admin.patch(NODES, node, { type: 'merge', body });
  }
  await admin.delete(RESOURCE_QUOTAS, CRAMPED, { namespace: CRAMPED });
  for (const place of PLACES) {
    await createClaim(admin, place, random).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
    const annotations = Object.fromEntries(FAILURE_ANNOTATIONS.map((name) => [name, null]));
    const body = { spec: { template: { metadata: { annotations }, spec: { nodeSelector: null } } } };
    await admin.patch(VMS, place.name, { type: 'merge', body }, { namespace: place.namespace }).catch((error) => {
      if (!isNotFound(error)) throw error;
    });
  }
}
