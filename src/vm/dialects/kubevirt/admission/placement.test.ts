import { expect, test } from 'vitest';
import { tryVm, type VmCase } from '#testing/vm-trial';

const term = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
const spread = (parts: object) => ({
  spec: {
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', ...parts }],
  },
});
const rows: readonly VmCase[] = [
  [
    'a host name with a dot',
    { spec: { hostname: 'a.b' } },
    ['spec.hostname: Invalid value: "a.b": must not contain dots'],
  ],
  [
    'a toleration with a value but no key',
    { spec: { tolerations: [{ value: 'x' }] } },
    [
      'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
    ],
  ],
  [
    'a node selector with an invalid label',
    { spec: { nodeSelector: { zone: 'a b' } } },
    [expect.stringMatching(/^spec\.nodeSelector\[zone\]: Invalid value: "a b": a valid label must be/)],
  ],
  [
    'an affinity without a node term',
    {
      spec: {
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
      },
    },
    [`${term}: Required value: must have at least one node selector term`],
  ],
  ['a spread over a topology key', spread({ minDomains: 2 }), []],
  [
    'a spread without a topology key',
    spread({ topologyKey: '' }),
    ['spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty'],
  ],
  [
    'a spread with invalid labels',
    spread({ labelSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }),
    [
      "spec.topologySpreadConstraints[0].labelSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    ],
  ],
  [
    'minDomains of a soft spread',
    spread({ whenUnsatisfiable: 'ScheduleAnyway', minDomains: 2 }),
    [
      "spec.topologySpreadConstraints[0].minDomains: Invalid value: 2: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not 'ScheduleAnyway'",
    ],
  ],
];

test.each(rows)('validates %s', (_, parts, causes) => {
  expect(tryVm(parts).causes).toEqual(causes);
});
