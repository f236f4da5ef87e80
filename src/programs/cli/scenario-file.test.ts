import { describe, expect, it } from 'vitest';
import { VimanaError } from '#platform/base/errors';
import { memoryIo } from '#testing/memory-io';
import { scenarioAt } from './scenario-file.ts';

const SCENARIO = `apiVersion: simulation.node-classifier.io/v1alpha1
kind: SimulationScenario
metadata: {name: day}
spec:
  duration: 1h
  nodes:
    - name: n
      cont: 2
      cpu: 4
      memory: 8
`;

const files = {
  'vm.yaml': 'apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: web}\n',
  'nodes.json': '{"calm": [{"name": "a"}]}',
  'typo.yaml': SCENARIO,
};

function rejected(file: string): string {
  try {
    scenarioAt(memoryIo(files), file);
  } catch (error) {
    if (error instanceof VimanaError) return `${error.message}\n${error.hint ?? ''}`;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('the scenario of a file', () => {
  it('is missing in a manifest of another kind, which is named', () => {
    expect(rejected('vm.yaml')).toBe(
      'vm.yaml does not contain a SimulationScenario, but VirtualMachine\nFor an example, see examples/simulation/day.yaml.',
    );
  });

  it('is not one of vimana rebalance', () => {
    expect(rejected('nodes.json')).toContain('This file lists nodes and VMs, which is a scenario of vimana rebalance.');
  });

  it('is rejected with the position of each field', () => {
    expect(rejected('typo.yaml')).toMatch(
      /typo\.yaml:8:7: unknown field "spec\.nodes\[0\]\.cont": did you mean count\?[^]*typo\.yaml:10:7: spec\.nodes\[0\]\.memory: .*did you mean 8Gi\?/,
    );
  });
});
