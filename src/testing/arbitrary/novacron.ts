import fc from 'fast-check';
import type { Draw } from './draw.ts';
import { exactlyOne, type FieldHints, type HintedPart, joinHints } from './field-hints.ts';
import { placement } from './placement.ts';
import {
  amount,
  annotations,
  bytes,
  cron,
  gibibytes,
  label,
  labels,
  labelText,
  s3Text,
  subdomain,
  urlText,
} from './values.ts';

const address = {
  good: fc.constantFrom('10.0.0.53', '192.0.2.1', 'fd00::53'),
  bad: ['10.0.0', '10.0.0.256', 'example.com', '10.0.0.1/24'],
};

/** Hints for the template that VirtualMachine and VMPool share. */
const template: FieldHints = joinHints(placement, {
  fields: {
    'metadata.labels': labels,
    'metadata.annotations': annotations,
    'resources.cpu': { good: fc.integer({ min: 1, max: 64 }), bad: [0, -1, 1.5] },
    'resources.memory': {
      good: fc.oneof(gibibytes, fc.constantFrom('512Mi', '536870912', 536_870_912)),
      bad: ['511Mi', '1', 5, '-1Gi', 'much', '100Ei'],
    },
    'resources.disk': bytes,
    'image.source': {
      good: fc.oneof(
        labelText.map((name) => `marketplace://${name}`),
        urlText,
        s3Text,
        fc.tuple(labelText, labelText).map(([namespace, claim]) => `pvc://${namespace}/${claim}`),
      ),
      bad: ['', 'debian', 'ftp://host/a', 'https://', 's3://bucket', 'pvc://claim', 'marketplace://'],
    },
    'dns[]': address,
    'networks[].name': subdomain,
    'volumes[].name': label,
    'volumes[].storageClass': subdomain,
    'volumes[].size': bytes,
    'httpGet.port': {
      good: fc.oneof(fc.integer({ min: 1, max: 65_535 }), fc.constantFrom('http', 'p-80')),
      bad: [0, 65_536, '80', 'Upper', '', true],
    },
  },
  repairs: {
    template: (part: HintedPart) => {
      part['spec'] ??= {};
      const spec = part['spec'] as HintedPart;
      spec['resources'] = { cpu: 2, memory: '1Gi', ...(spec['resources'] as HintedPart) };
    },
    image: (image: HintedPart) => {
      image['source'] ??= 'marketplace://debian-12';
    },
    networks: (networks: HintedPart[]) => {
      for (const [i, { ipv4, ipv6 }] of networks.entries()) {
        addressing(ipv4 as HintedPart | undefined, `10.0.${i}.10/24`, `10.0.${i}.1`);
        addressing(ipv6 as HintedPart | undefined, `fd00:${i}::10/64`, `fd00:${i}::1`);
      }
    },
    preStart: hook,
    preStop: hook,
  },
});

function addressing(part: HintedPart | undefined, own: string, gateway: string): void {
  if (part === undefined) return;
  if (part['address'] !== undefined || part['gateway'] !== undefined) part['method'] = 'static';
  if (part['method'] !== 'static') return;
  part['address'] = own;
  if (part['gateway'] !== undefined) part['gateway'] = gateway;
}

const oneHandler = exactlyOne(['exec', 'httpGet'], { exec: { command: ['sync'] } });

function hook(part: HintedPart): void {
  oneHandler(part);
  const exec = part['exec'] as HintedPart | undefined;
  if (part['timeoutSeconds'] !== undefined && exec?.['timeoutSeconds'] !== undefined) {
    exec['timeoutSeconds'] = part['timeoutSeconds'];
  }
}

const strategy: FieldHints = {
  fields: {
    maxUnavailable: {
      good: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constantFrom('0%', '25%', '100%', '3')),
      bad: [-1, '101%', 'all'],
    },
    maxSurge: {
      good: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constantFrom('1%', '25%', '3')),
      bad: [-1, '101%', 'all'],
    },
  },
  repairs: {
    updateStrategy: (part: HintedPart) => {
      if (part['rollingUpdate'] !== undefined) delete part['type'];
    },
  },
};

export const novacronVirtualMachine = joinHints(template, strategy, {
  fields: { 'snapshotPolicy.schedule': cron },
  repairs: {
    '.spec': (spec: HintedPart) => {
      spec['template'] ??= { spec: { resources: { cpu: 1, memory: '512Mi' } } };
      const machine = (spec['template'] as HintedPart)['spec'] as HintedPart;
      machine['image'] ??= { source: 'marketplace://debian-12' };
    },
  },
});

export const vmPool = joinHints(template, strategy, {
  fields: {
    lookbackWindow: { good: fc.constantFrom('2d', '7d', '1w'), bad: ['0s', 'long'] },
    forecastHorizon: { good: fc.constantFrom('30m', '1h', '1d'), bad: ['0s', 'far', '9w'] },
    'metrics[].targetValue': amount,
  },
  repairs: {
    '.spec': pool,
    'metrics[]': metric,
    '.spec.autoscaling': (scaling: HintedPart) => {
      const metrics = (scaling['metrics'] ?? []) as HintedPart[];
      if (scaling['enabled'] === true && metrics.length === 0) {
        scaling['metrics'] = [{ type: 'cpu', targetAverageUtilization: 70 }];
      }
    },
  },
});

function metric(part: HintedPart): void {
  const custom = part['metric'] !== undefined || part['targetValue'] !== undefined || part['type'] === 'custom';
  if (custom) {
    Object.assign(part, { type: 'custom', metric: part['metric'] ?? { name: 'queue' } });
    part['targetValue'] ??= '5';
    delete part['targetAverageUtilization'];
  } else part['targetAverageUtilization'] ??= 60;
}

function pool(spec: HintedPart, draw: Draw): void {
  spec['template'] ??= { spec: { resources: { cpu: 1, memory: '512Mi' } } };
  const scaling = spec['autoscaling'] as HintedPart | undefined;
  if (scaling?.['enabled'] === true) spec['maxReplicas'] ??= 9;
  const min = draw.below(4);
  const desired = min + draw.below(4);
  if (spec['minReplicas'] !== undefined) spec['minReplicas'] = min;
  if (spec['replicas'] !== undefined) spec['replicas'] = desired;
  if (spec['maxReplicas'] !== undefined) spec['maxReplicas'] = Math.max(1, desired) + draw.below(3);
  withSingleVm(spec);
  const selector = spec['selector'] as HintedPart | undefined;
  if (selector !== undefined) withSelectedLabels(spec['template'] as HintedPart, selector);
}

/** Several VMs cannot have the same address, so a pool with one has a single VM at any time. */
function withSingleVm(spec: HintedPart): void {
  const { networks = [] } = ((spec['template'] as HintedPart)['spec'] ?? {}) as { networks?: HintedPart[] };
  const isStatic = (part: unknown) => (part as HintedPart | undefined)?.['method'] === 'static';
  if (!networks.some(({ ipv4, ipv6 }) => isStatic(ipv4) || isStatic(ipv6))) return;
  Object.assign(spec, { minReplicas: 1, replicas: 1, maxReplicas: 1 });
  const strategy = spec['updateStrategy'] as HintedPart | undefined;
  const rolling = strategy?.['rollingUpdate'] as HintedPart | undefined;
  if (rolling === undefined) spec['updateStrategy'] = { type: 'Recreate' };
  else Object.assign(rolling, { maxSurge: 0, maxUnavailable: 1 });
}

/** Gives the template labels that its pool selects. */
function withSelectedLabels(template: HintedPart, selector: HintedPart): void {
  const metadata = (template['metadata'] ??= {}) as HintedPart;
  const own: HintedPart = { app: 'web', ...(selector['matchLabels'] as HintedPart) };
  metadata['labels'] = own;
  if (selector['matchExpressions'] === undefined) return;
  selector['matchExpressions'] = [
    { key: 'app', operator: 'In', values: [own['app'], 'other'] },
    { key: 'no-such-label', operator: 'DoesNotExist' },
  ];
}
