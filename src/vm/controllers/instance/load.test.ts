import { describe, expect, it } from 'vitest';
import type { Vmi } from '#api/kubevirt/resources';
import { formatLoad } from '#api/launcher-load';
import type { Pod } from '#platform/kube/kinds/pod';
import { planLoad } from './load.ts';

const node = { cpu: '32', memory: '128Gi' };
const load = (cpu: string, memory: string, of = node) => ({ 'vimana.io/load': formatLoad({ cpu, memory, node: of }) });
const vmi = (annotations: object) => ({ metadata: { name: 'a.simulation', annotations } }) as unknown as Vmi;
const pod = (annotations: object, more: object = {}, phase = 'Running') =>
  ({ metadata: { name: 'p', annotations, ...more }, spec: {}, status: { phase } }) as unknown as Pod;
const CPU = 'kubevirt.io/vm-cpu-consumption';
const MEMORY = 'kubevirt.io/vm-memory-consumption';
const told = (instance: Vmi, ...pods: Pod[]) =>
  planLoad(instance, pods).map((action) => (action.do === 'annotate' ? action.annotations : action));

describe('the load that an instance reports to its pods', () => {
  it('is reported after a change, and only the changed part', () => {
    const before = pod({ ...load('0.1', '0.2'), [CPU]: '0.1', [MEMORY]: '0.2' });
    expect(told(vmi(load('0.3', '0.2')), before)).toEqual([{ ...load('0.3', '0.2'), [CPU]: '0.3' }]);
    expect(told(vmi(load('0.1', '0.4')), before)).toEqual([{ ...load('0.1', '0.4'), [MEMORY]: '0.4' }]);
  });

  it('is reported again after the reference node has changed', () => {
    const larger = { cpu: '64', memory: '128Gi' };
    const desired = load('0.1', '0.2', larger);
    expect(told(vmi(desired), pod(load('0.1', '0.2')))).toEqual([{ ...desired, [CPU]: '0.1' }]);
  });

  it('keeps annotations of others', () => {
    expect(told(vmi(load('0.1', '0.2')), pod({ ...load('0.1', '0.2'), [CPU]: '0.9' }))).toEqual([]);
  });

  it('is not reported to terminating pods, nor by instances without a load', () => {
    const desired = vmi(load('0.5', '0.5'));
    expect(told(desired, pod({}, {}, 'Failed'), pod({}, { deletionTimestamp: 'now' }))).toEqual([]);
    expect(told(vmi({ 'vimana.io/load': 'x' }), pod({}))).toEqual([]);
    expect(told(vmi({}), pod({}))).toEqual([]);
  });
});
