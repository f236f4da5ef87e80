/**
 * Makes three machines, follows where the scheduler puts them, moves one, and cleans up. With a cluster in KUBECONFIG
 * (vimana up --dialects simulation makes one): node examples/simulation/drive-a-fleet.ts
 */
// Outside of this repository: from 'vimana'.
import { PodManager, type Vm } from '../../src/index.ts';

export async function driveFleet(pods: PodManager, say: (line: string) => void): Promise<void> {
  const fleet: Vm[] = [
    { id: 'web', cpuConsumption: 0.15, memoryConsumption: 0.2 },
    { id: 'batch', cpuConsumption: 0.4, memoryConsumption: 0.15 },
    { id: 'database', cpuCores: 8, memoryBytes: 24 * 2 ** 30, cpuUtilization: 0.35, memoryUtilization: 0.8 },
  ];
  await pods.syncPodsWithVms(fleet);
  for (const { id, scheduledNode = '' } of await pods.updateVmNodeAssignments(fleet)) {
    const status = await pods.vms.getVmStatus(id);
    say(
      `${id}: ${status?.phase}, ${status?.cpuConsumption} of a node's CPU${scheduledNode === '' ? '' : `, on ${scheduledNode}`}`,
    );
  }
  const from = (await pods.untilPlaced('web')) ?? '';
  const { nodeName = 'no node: it fits nowhere' } = await pods.migrateVmPod({ id: 'web' }, from);
  say(`web: from ${from} to ${nodeName}`);
  say(`${await pods.vms.cleanupAllVms()} machines deleted`);
}

if (import.meta.main) {
  await using pods = await PodManager.connect();
  await driveFleet(pods, (line) => process.stdout.write(`${line}\n`));
}
