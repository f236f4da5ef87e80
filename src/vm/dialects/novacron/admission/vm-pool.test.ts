import { describe, expect, test } from 'vitest';
import { vmPool } from '#api/novacron/vm-pool';
import { admissionTrial } from '#testing/admission-trial';
import { poolScaleWarnings } from './pool-scale.ts';
import { vmPoolAdmitter } from './vm-pool.ts';

const trial = admissionTrial(vmPoolAdmitter);
const labels = { app: 'web', tier: 'front' };

function pool(spec: object, name = 'web', template: object = {}) {
  const { apiVersion, kind } = vmPool;
  const machine = { resources: { cpu: 1, memory: '1Gi' }, ...template };
  return {
    apiVersion,
    kind,
    metadata: { name, namespace: 'default' },
    spec: { template: { metadata: { labels }, spec: machine }, ...spec },
  };
}
const scaled = (autoscaling: object) => pool({ maxReplicas: 9, autoscaling: { enabled: true, ...autoscaling } });
const metric = (fields: object) => scaled({ metrics: [fields] });
const cpu = { type: 'cpu', targetAverageUtilization: 70 };
const predicted = (predictive: object) => scaled({ metrics: [cpu], predictive });
const rolling = (rollingUpdate: object) => pool({ updateStrategy: { rollingUpdate } });

describe('a pool gets its defaults:', () => {
  test('one VM if no number is given, or its minimum', () => {
    expect(trial(pool({})).object.spec.replicas).toBe(1);
    expect(trial(pool({ minReplicas: 3 })).object.spec.replicas).toBe(3);
    expect(trial(pool({ replicas: 0 })).object.spec.replicas).toBe(0);
  });

  test('rolling updates, one VM at a time', () => {
    expect(trial(pool({})).object.spec.updateStrategy).toEqual({ type: 'RollingUpdate' });
    expect(trial(rolling({})).object.spec.updateStrategy.rollingUpdate).toEqual({
      maxSurge: 1,
      maxUnavailable: 0,
      partition: 0,
    });
  });

  test('a history of a week and a forecast of an hour', () => {
    expect(trial(predicted({ enabled: true })).object.spec.autoscaling?.predictive).toEqual({
      enabled: true,
      model: 'arima',
      lookbackWindow: '7d',
      forecastHorizon: '1h',
    });
  });
});

describe('a valid pool is accepted:', () => {
  test.each<[string, object]>([
    ['without an image', pool({})],
    ['with an image', pool({}, 'web', { image: { source: 'marketplace://debian-12' } })],
    ['with equal bounds', pool({ replicas: 2, minReplicas: 2, maxReplicas: 2 })],
    ['with a selector of some of its labels', pool({ selector: { matchLabels: { app: 'web' } } })],
    [
      'with a selector by expression',
      pool({
        selector: { matchExpressions: [{ key: 'tier', operator: 'In', values: ['front'] }] },
      }),
    ],
    ['with a custom metric', metric({ type: 'custom', metric: { name: 'rps' }, targetValue: '0.5' })],
    ['with a horizon just below the window', predicted({ lookbackWindow: '1d', forecastHorizon: '23h59m' })],
    [
      'with an address, if it never has a second VM',
      pool({ maxReplicas: 1, updateStrategy: { type: 'Recreate' } }, 'web', {
        networks: [{ name: 'a', ipv4: { method: 'dhcp' } }],
      }),
    ],
    ['with unavailable VMs', rolling({ maxSurge: 0, maxUnavailable: '10%' })],
    ['without scaling down', scaled({ metrics: [cpu], behavior: { scaleDown: { selectPolicy: 'Disabled' } } })],
  ])('%s', (_what, object) => {
    const { causes, warnings, unknownFields } = trial(object);
    expect([...causes, ...warnings, ...unknownFields]).toEqual([]);
  });
});

describe('errors contain the field and a remedy:', () => {
  const METRIC = 'spec.autoscaling.metrics[0]';
  const UPDATE = 'spec.updateStrategy.rollingUpdate';
  const STUCK = `${UPDATE}.maxUnavailable: Invalid value: may not be 0 if maxSurge is 0: no VM could be replaced`;
  const COUNT = 'must be 0 or more, or a percentage';

  test.each<[string, object, string[]]>([
    [
      'no template',
      pool({ template: undefined }),
      [
        'spec.template.spec.resources.cpu: Required value: CPU must be at least 1',
        'spec.template.spec.resources.memory: Required value: Memory must be at least 512Mi',
      ],
    ],
    [
      'an image without a source',
      pool({}, 'web', { image: { pullPolicy: 'Always' } }),
      ['spec.template.spec.image.source: Required value: Image source is required'],
    ],
    [
      'a minimum above the maximum',
      pool({ replicas: 4, minReplicas: 4, maxReplicas: 3 }),
      [
        'spec.maxReplicas: Invalid value: may not be less than minReplicas',
        'spec.replicas: Invalid value: may not be more than maxReplicas',
      ],
    ],
    [
      'fewer replicas than the minimum',
      pool({ replicas: 1, minReplicas: 2 }),
      ['spec.replicas: Invalid value: may not be less than minReplicas'],
    ],
    [
      'scaling without a maximum',
      pool({ autoscaling: { enabled: true, metrics: [cpu] } }),
      ['spec.maxReplicas: Required value: autoscaling needs an upper bound'],
    ],
    [
      'scaling without metrics',
      scaled({}),
      ['spec.autoscaling.metrics: Required value: autoscaling needs at least one metric'],
    ],
    [
      'CPU without a target',
      metric({ type: 'cpu' }),
      [`${METRIC}.targetAverageUtilization: Required value: types cpu and memory need targetAverageUtilization`],
    ],
    [
      'memory with a value',
      metric({ type: 'memory', targetAverageUtilization: 80, targetValue: '1' }),
      [
        `${METRIC}.targetValue: Forbidden: may only be set with type custom; types cpu and memory use targetAverageUtilization`,
      ],
    ],
    [
      'a metric without a name and a target',
      metric({ type: 'custom' }),
      [
        `${METRIC}.metric: Required value: type custom needs a metric`,
        `${METRIC}.targetValue: Required value: type custom needs targetValue`,
      ],
    ],
    [
      'a target of 0',
      metric({ type: 'custom', metric: { name: 'rps' }, targetValue: '0' }),
      [`${METRIC}.targetValue: Invalid value: "0": must be greater than zero`],
    ],
    [
      'a horizon as long as the window',
      predicted({ lookbackWindow: '2d', forecastHorizon: '48h' }),
      ['spec.autoscaling.predictive.forecastHorizon: Invalid value: "48h": must be shorter than lookbackWindow, 2d'],
    ],
    [
      'a window of 0',
      predicted({ lookbackWindow: '0s' }),
      ['spec.autoscaling.predictive.lookbackWindow: Invalid value: "0s": must be greater than zero'],
    ],
    ['an update that cannot progress', rolling({ maxSurge: 0 }), [STUCK]],
    ['an update that cannot progress, in percent', rolling({ maxSurge: '0%', maxUnavailable: '0%' }), [STUCK]],
    [
      'a negative number of unavailable VMs',
      rolling({ maxSurge: -1, maxUnavailable: -2 }),
      [`${UPDATE}.maxSurge: Invalid value: -1: ${COUNT}`, `${UPDATE}.maxUnavailable: Invalid value: -2: ${COUNT}`],
    ],
    [
      'more than 100 percent',
      rolling({ maxSurge: '101%' }),
      [
        `${UPDATE}.maxSurge: Invalid value: "101%": ${UPDATE}.maxSurge in body should match '^([0-9]+|[0-9]{1,2}%|100%)$'`,
      ],
    ],
    [
      'a negative partition',
      rolling({ partition: -1 }),
      [`${UPDATE}.partition: Invalid value: -1: ${UPDATE}.partition in body should be greater than or equal to 0`],
    ],
    [
      'a selector that does not match the template',
      pool({ selector: { matchLabels: { app: 'db' } } }),
      [
        'spec.template.metadata.labels: Invalid value: {"app":"web","tier":"front"}: `selector` does not match template `labels`',
      ],
    ],
    [
      'an address that all VMs would have',
      pool({}, 'web', { networks: [{ name: 'a', ipv4: { method: 'static', address: '10.0.0.5/24' } }] }),
      [
        'spec.template.spec.networks[0].ipv4.method: Forbidden: every VM of the pool would have the same address; use dhcp, or maxReplicas 1 and updateStrategy Recreate',
      ],
    ],
    [
      'the name of the root disk',
      pool({}, 'web', { volumes: [{ name: 'root', size: '1Gi' }] }),
      ['spec.template.spec.volumes[0].name: Forbidden: root is reserved for the disk with the image: use another name'],
    ],
    [
      'a label that pools set, and a wrong way to retain disks',
      pool({
        template: {
          metadata: { labels: { 'novacron.io/pool': 'db' }, annotations: { 'novacron.io/retain-disks': 'yes' } },
          spec: { resources: { cpu: 1, memory: '1Gi' } },
        },
      }),
      [
        'spec.template.metadata.labels[novacron.io/pool]: Forbidden: is reserved: every VM of a pool has it, with the name of the pool',
        'spec.template.metadata.annotations[novacron.io/retain-disks]: Unsupported value: "yes": supported values: "true", "false"',
      ],
    ],
    [
      'a name that is too long for those of its VMs',
      pool({}, 'x'.repeat(58)),
      ['metadata.name: Too long: may not be more than 57 bytes'],
    ],
  ])('%s', (_what, object, causes) => {
    expect(trial(object).causes).toEqual(causes);
  });
});

describe('ignored settings get a warning:', () => {
  test('scaling that is not enabled', () => {
    const { causes, warnings } = trial(pool({ autoscaling: { metrics: [cpu], predictive: { enabled: true } } }));
    expect(causes).toEqual([]);
    expect(warnings).toEqual([
      'spec.autoscaling.metrics has no effect: autoscaling is not enabled',
      'spec.autoscaling.predictive has no effect: autoscaling is not enabled',
    ]);
  });

  test('features that VMs do not support yet', () => {
    expect(trial(pool({}, 'web', { devices: [{ type: 'gpu' }] })).warnings).toEqual([
      'spec.template.spec.devices is not supported yet, and the VM will not start with it: remove host devices',
    ]);
  });
});

test('a selector cannot be changed', () => {
  const before = pool({ selector: { matchLabels: { app: 'web' } } });
  expect(trial(pool({ selector: { matchLabels: { tier: 'front' } } }), before).causes).toEqual([
    'spec.selector: Invalid value: {"matchLabels":{"tier":"front"}}: field is immutable: create another pool',
  ]);
  expect(trial(pool({ selector: { matchLabels: { app: 'web' } }, replicas: 4 }), before).causes).toEqual([]);
});

test('the scale of an autoscaled pool gets a warning', () => {
  expect(poolScaleWarnings(trial(pool({})).object)).toEqual([]);
  expect(poolScaleWarnings(trial(scaled({ metrics: [cpu] })).object)).toEqual([
    expect.stringContaining('the pool is autoscaled: spec.replicas is only its initial number of VMs'),
  ]);
});

test('the scale subresource reads and writes the fields of kubectl scale', () => {
  expect(vmPool.scale).toEqual({
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  });
});

describe('the bounds of scaling behavior', () => {
  const behavior = (scaleUp: object) => trial(scaled({ metrics: [cpu], behavior: { scaleUp } })).causes;
  const policy = { type: 'Pods', value: 1, periodSeconds: 1 };

  test.each<[field: string, min: number, max: number, behavior: (value: number) => object]>([
    ['stabilizationWindowSeconds', 0, 3600, (stabilizationWindowSeconds) => ({ stabilizationWindowSeconds })],
    ['periodSeconds', 1, 1800, (periodSeconds) => ({ policies: [{ ...policy, periodSeconds }] })],
    ['policies', 0, 16, (count) => ({ policies: Array.from({ length: count }, () => policy) })],
  ])('%s is at least %d and at most %d', (field, min, max, given) => {
    for (const value of [min, max]) expect(behavior(given(value))).toEqual([]);
    const outside = field === 'policies' ? [max + 1] : [min - 1, max + 1];
    for (const value of outside) expect(behavior(given(value))).toContainEqual(expect.stringContaining(field));
  });
});
