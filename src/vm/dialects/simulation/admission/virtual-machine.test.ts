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
    ['shares of a node', sized('0.15', '0.20')],
    ['a share of CPU above one node', sized('1.5', '1')],
    ['whole numbers without quotes', sized(1, 1)],
    ['nothing at all', sized('0', '0')],
    ['an exponent', sized('1e-1', '2E-1')],
    ['CPUs and bytes', sized('4', '8Gi')],
    ['a part of a CPU and bytes in powers of ten', sized('500m', '1G')],
    ['CPUs and bytes with how much is in use', sized(4, '8Gi', { utilization: { cpu: '1.5', memory: '0.3' } })],
    ['a machine that is idle', sized('4', '8Gi', { utilization: { cpu: '0', memory: 0 } })],
  ])('%s are accepted', (_what, object) => {
    const { causes, warnings, unknownFields } = trial(object);
    expect([...causes, ...warnings, ...unknownFields]).toEqual([]);
  });

  const SHARE = 'must be a fraction of one node from 0 to 1; an absolute amount has a suffix, such as 8Gi';
  test.each<[string, object, string[]]>([
    ['no resources', machine({}), ['spec.resources: Required value']],
    ['memory beyond a node', sized('0.5', '1.01'), [`spec.resources.memory: Invalid value: "1.01": ${SHARE}`]],
    ['bytes without a suffix', sized('4', 8589934592), [`spec.resources.memory: Invalid value: 8589934592: ${SHARE}`]],
    [
      'negative shares',
      sized('-0.1', '-0.2'),
      [
        'spec.resources.cpu: Invalid value: "-0.1": must be a fraction of one node, 0 or more',
        `spec.resources.memory: Invalid value: "-0.2": ${SHARE}`,
      ],
    ],
    [
      'an amount of CPU with a share of memory',
      sized('500m', '0.2'),
      [
        'spec.resources.cpu: Invalid value: "500m": must be a fraction of one node such as 0.15, like memory; to use an absolute amount of CPU, give memory a suffix',
      ],
    ],
    [
      'shares with utilization',
      sized('0.1', '0.2', { utilization: { cpu: '0.5' } }),
      [
        'spec.utilization: Forbidden: is only allowed with resources in CPUs and bytes; a VM sized as a fraction of a node always uses that fraction',
      ],
    ],
    ['no CPU', sized('0', '1Gi'), ['spec.resources.cpu: Invalid value: "0": must be greater than zero']],
    ['half a byte', sized('1', '500m'), ['spec.resources.memory: Invalid value: "500m": must be at least 1Mi']],
    [
      'impossible use',
      sized('1', '1Gi', { utilization: { cpu: '-1', memory: '1.1' } }),
      [
        'spec.utilization.cpu: Invalid value: "-1": must be 0 or more',
        'spec.utilization.memory: Invalid value: "1.1": must be from 0 to 1',
      ],
    ],
  ])('%s is refused', (_what, object, causes) => {
    expect(trial(object).causes).toEqual(causes);
  });

  test('any share of CPU goes with any share of memory up to one node, and with none beyond', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: 2000 }), (cpu, memory) => {
        const { causes } = trial(sized(`${cpu / 1000}`, `${memory / 1000}`));
        expect(causes.length).toBe(memory > 1000 ? 1 : 0);
      }),
    );
  });
});

describe('the annotations that tell the consumption', () => {
  test('are written from spec.resources and follow it', () => {
    const { object } = trial(machine({ resources: { cpu: '0.15', memory: '0.20' } }, { annotations: { a: 'b' } }));
    expect(object.metadata.annotations).toEqual({ a: 'b', [CPU]: '0.15', [MEMORY]: '0.20' });
    const stale = machine({ resources: { cpu: 1, memory: '0.30' } }, { annotations: object.metadata.annotations });
    expect(trial(stale).object.metadata.annotations).toEqual({ a: 'b', [CPU]: '1', [MEMORY]: '0.30' });
  });

  test('are not written for CPUs and bytes, and said to be ignored there', () => {
    const { object, warnings } = trial(
      machine({ resources: { cpu: '4', memory: '8Gi' } }, { annotations: { [CPU]: '1' } }),
    );
    expect(object.metadata.annotations).toEqual({ [CPU]: '1' });
    expect(warnings).toEqual([`metadata.annotations[${CPU}] is ignored: spec.resources is in CPUs and bytes`]);
  });
});

test('a machine runs unless told otherwise', () => {
  expect(trial(sized('0.1', '0.1')).object.spec.running).toBe(true);
});

test('a name that no label can hold is refused', () => {
  const named = machine({ resources: { cpu: '1', memory: '1Gi' } }, { name: 'x'.repeat(64) });
  expect(trial(named).causes).toEqual(['metadata.name: Too long: may not be more than 63 bytes']);
});
