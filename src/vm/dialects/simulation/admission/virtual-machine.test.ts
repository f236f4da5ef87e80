import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { virtualMachine } from '#api/simulation/virtual-machine';
import { admissionTrial } from '#testing/admission-trial';
import { virtualMachineAdmitter } from './virtual-machine.ts';

const trial = admissionTrial(virtualMachineAdmitter);
const CPU = 'simulation.node-classifier.io/cpu-consumption';
const MEMORY = 'simulation.node-classifier.io/memory-consumption';

function machine(spec: object, metadata: object = {}) {
  const { apiVersion, kind } = virtualMachine;
  return { apiVersion, kind, metadata: { name: 'vm-1', namespace: 'default', ...metadata }, spec };
}
const sized = (cpu: unknown, memory: unknown, more: object = {}) => machine({ resources: { cpu, memory }, ...more });

describe('the two forms of resources', () => {
  test.each<[string, object]>([
    ['ratios of a node', sized('0.15', '0.20')],
    ['a ratio of CPU above one node', sized('1.5', '1')],
    ['integers without quotes', sized(1, 1)],
    ['resources of 0', sized('0', '0')],
    ['ratios with an exponent', sized('1e-1', '2E-1')],
    ['CPUs and bytes', sized('4', '8Gi')],
    ['fractions of a CPU and decimal bytes', sized('500m', '1G')],
    ['CPUs and bytes with utilization', sized(4, '8Gi', { utilization: { cpu: '1.5', memory: '0.3' } })],
    ['CPUs and bytes with a utilization of 0', sized('4', '8Gi', { utilization: { cpu: '0', memory: 0 } })],
  ])('%s are accepted', (_what, object) => {
    const { causes, warnings, unknownFields } = trial(object);
    expect([...causes, ...warnings, ...unknownFields]).toEqual([]);
  });

  const SHARE = 'must be a fraction of one node from 0 to 1; an absolute amount has a suffix, such as 8Gi';
  test.each<[string, object, string[]]>([
    ['a missing size', machine({}), ['spec.resources: Required value']],
    ['memory above one node', sized('0.5', '1.01'), [`spec.resources.memory: Invalid value: "1.01": ${SHARE}`]],
    ['bytes without a suffix', sized('4', 8589934592), [`spec.resources.memory: Invalid value: 8589934592: ${SHARE}`]],
    [
      'a negative ratio',
      sized('-0.1', '-0.2'),
      [
        'spec.resources.cpu: Invalid value: "-0.1": must be a fraction of one node, 0 or more',
        `spec.resources.memory: Invalid value: "-0.2": ${SHARE}`,
      ],
    ],
    [
      'an amount of CPU with a ratio of memory',
      sized('500m', '0.2'),
      [
        'spec.resources.cpu: Invalid value: "500m": must be a fraction of one node such as 0.15, like memory; to use an absolute amount of CPU, give memory a suffix',
      ],
    ],
    [
      'a ratio with utilization',
      sized('0.1', '0.2', { utilization: { cpu: '0.5' } }),
      [
        'spec.utilization: Forbidden: is only allowed with resources in CPUs and bytes; a VM sized as a fraction of a node always uses that fraction',
      ],
    ],
    ['no CPU', sized('0', '1Gi'), ['spec.resources.cpu: Invalid value: "0": must be greater than zero']],
    ['half a byte', sized('1', '500m'), ['spec.resources.memory: Invalid value: "500m": must be at least 1Mi']],
    [
      'a utilization above 1',
      sized('1', '1Gi', { utilization: { cpu: '-1', memory: '1.1' } }),
      [
        'spec.utilization.cpu: Invalid value: "-1": must be 0 or more',
        'spec.utilization.memory: Invalid value: "1.1": must be from 0 to 1',
      ],
    ],
  ])('%s is rejected', (_what, object, causes) => {
    expect(trial(object).causes).toEqual(causes);
  });

  test('any ratio of CPU and memory up to one node is accepted, and none beyond', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: 2000 }), (cpu, memory) => {
        const { causes } = trial(sized(`${cpu / 1000}`, `${memory / 1000}`));
        expect(causes.length).toBe(memory > 1000 ? 1 : 0);
      }),
    );
  });
});

describe('the annotations of consumption', () => {
  test('are set from spec.resources and follow it', () => {
    const { object } = trial(machine({ resources: { cpu: '0.15', memory: '0.20' } }, { annotations: { a: 'b' } }));
    expect(object.metadata.annotations).toEqual({ a: 'b', [CPU]: '0.15', [MEMORY]: '0.20' });
    const stale = machine({ resources: { cpu: 1, memory: '0.30' } }, { annotations: object.metadata.annotations });
    expect(trial(stale).object.metadata.annotations).toEqual({ a: 'b', [CPU]: '1', [MEMORY]: '0.30' });
  });

  test('are not set for CPUs and bytes, with a warning that they are ignored there', () => {
    const { object, warnings } = trial(
      machine({ resources: { cpu: '4', memory: '8Gi' } }, { annotations: { [CPU]: '1' } }),
    );
    expect(object.metadata.annotations).toEqual({ [CPU]: '1' });
    expect(warnings).toEqual([`metadata.annotations[${CPU}] is ignored: spec.resources is in CPUs and bytes`]);
  });
});

test('a VM runs by default', () => {
  expect(trial(sized('0.1', '0.1')).object.spec.running).toBe(true);
});

test('a name that is too long for a label is rejected', () => {
  const named = machine({ resources: { cpu: '1', memory: '1Gi' } }, { name: 'x'.repeat(64) });
  expect(trial(named).causes).toEqual(['metadata.name: Too long: may not be more than 63 bytes']);
});
