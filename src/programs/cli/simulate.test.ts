import { expect, test } from 'vitest';
import { memoryIo } from '#testing/memory-io';
import { type SimulateSettings, simulateCommand } from './simulate.ts';

const SCENARIO = `apiVersion: simulation.node-classifier.io/v1alpha1
kind: SimulationScenario
metadata: { name: trial }
spec:
  duration: 1h
`;
const files = { 'plain.yaml': SCENARIO, 'nodes.yaml': `${SCENARIO}  nodes: [{ name: rack, count: 2 }]\n` };

async function requested(line: string): Promise<SimulateSettings | undefined> {
  let settings: SimulateSettings | undefined;
  const command = simulateCommand(memoryIo(files), async (given) => void (settings = given));
  await command.exitOverride().parseAsync(line.split(' '), { from: 'user' });
  return settings;
}

test('--nodes is for scenarios without nodes', async () => {
  expect(await requested('--scenario plain.yaml --nodes 6')).toMatchObject({ nodes: 6 });
  expect(await requested('--scenario nodes.yaml')).toMatchObject({ scenario: { spec: { nodes: [{ count: 2 }] } } });
  await expect(requested('--scenario nodes.yaml --nodes 6')).rejects.toThrow(
    '--nodes 6: the scenario defines its nodes',
  );
});
