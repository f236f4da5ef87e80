import { describe, expect, it } from 'vitest';
import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { START_AWAY_FROM, START_ON } from '#api/operation-request';
import { withStartPlacement } from './start-placement.ts';

const spec = (more: object = {}) => ({ domain: { devices: {} }, ...more }) as InstanceSpec;
const HOSTNAME = 'kubernetes.io/hostname';

describe('the node on which a VM starts', () => {
  it('follows from its spec by default', () => {
    const given = spec();
    expect(withStartPlacement(given)).toBe(given);
    expect(withStartPlacement(given, { other: 'x' })).toBe(given);
  });

  it('is the one that an operation names, unless the VM names one itself', () => {
    expect(withStartPlacement(spec(), { [START_ON]: 'n2' }).nodeSelector).toEqual({ [HOSTNAME]: 'n2' });
    const own = spec({ nodeSelector: { [HOSTNAME]: 'n1' } });
    expect(withStartPlacement(own, { [START_ON]: 'n2' }).nodeSelector).toEqual({ [HOSTNAME]: 'n1' });
  });

  it('is not the node that it leaves, whatever its affinity terms', () => {
    const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
    const away = { key: HOSTNAME, operator: 'NotIn', values: ['n1'] };
    expect(withStartPlacement(spec(), { [START_AWAY_FROM]: 'n1' }).affinity).toEqual({
      nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [{ matchExpressions: [away] }] } },
    });
    const zone = { key: 'zone', operator: 'In', values: ['a'] };
    const terms = [{ matchExpressions: [zone] }, { matchFields: [zone] }];
    const bound = spec({ affinity: { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: terms } } } });
    expect(withStartPlacement(bound, { [START_AWAY_FROM]: 'n1' }).affinity?.nodeAffinity?.[REQUIRED]).toEqual({
      nodeSelectorTerms: [{ matchExpressions: [zone, away] }, { matchFields: [zone], matchExpressions: [away] }],
    });
  });
});
