import fc from 'fast-check';
import type { Draw } from './draw.ts';
import { exactlyOne, joined, type Knowledge, type Part } from './knowledge.ts';
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

/** The template of a machine, which machines and pools share. */
const template: Knowledge = joined(placement, {
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
    template: (part: Part) => {
      part['spec'] ??= {};
      const spec = part['spec'] as Part;
      spec['resources'] = { cpu: 2, memory: '1Gi', ...(spec['resources'] as Part) };
    },
    image: (image: Part) => {
      image['source'] ??= 'marketplace://debian-12';
    },
    networks: (networks: Part[]) => {
      for (const [i, { ipv4, ipv6 }] of networks.entries()) {
        addressing(ipv4 as Part | undefined, `10.0.${i}.10/24`, `10.0.${i}.1`);
        addressing(ipv6 as Part | undefined, `fd00:${i}::10/64`, `fd00:${i}::1`);
      }
    },
    preStart: hook,
    preStop: hook,
  },
});

function addressing(part: Part | undefined, own: string, gateway: string): void {
  if (part === undefined) return;
  if (part['address'] !== undefined || part['gateway'] !== undefined) part['method'] = 'static';
  if (part['method'] !== 'static') return;
  part['address'] = own;
  if (part['gateway'] !== undefined) part['gateway'] = gateway;
}

const oneHandler = exactlyOne(['exec', 'httpGet'], { exec: { command: ['sync'] } });

function hook(part: Part): void {
  oneHandler(part);
  const exec = part['exec'] as Part | undefined;
  if (part['timeoutSeconds'] !== undefined && exec?.['timeoutSeconds'] !== undefined) {
    exec['timeoutSeconds'] = part['timeoutSeconds'];
  }
}

const strategy: Knowledge = {
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
    updateStrategy: (part: Part) => {
      if (part['rollingUpdate'] !== undefined) delete part['type'];
    },
  },
};

export const novacronVirtualMachine = joined(template, strategy, {
  fields: { 'snapshotPolicy.schedule': cron },
  repairs: {
    '.spec': (spec: Part) => {
      spec['template'] ??= { spec: { resources: { cpu: 1, memory: '512Mi' } } };
      const machine = (spec['template'] as Part)['spec'] as Part;
      machine['image'] ??= { source: 'marketplace://debian-12' };
    },
  },
});

export const vmPool = joined(template, strategy, {
  fields: {
    lookbackWindow: { good: fc.constantFrom('2d', '7d', '1w'), bad: ['0s', 'long'] },
    forecastHorizon: { good: fc.constantFrom('30m', '1h', '1d'), bad: ['0s', 'far', '9w'] },
    'metrics[].targetValue': amount,
  },
  repairs: {
    '.spec': pool,
    'metrics[]': metric,
    '.spec.autoscaling': (scaling: Part) => {
      const metrics = (scaling['metrics'] ?? []) as Part[];
      if (scaling['enabled'] === true && metrics.length === 0) {
        scaling['metrics'] = [{ type: 'cpu', targetAverageUtilization: 70 }];
      }
    },
  },
});

function metric(part: Part): void {
  const custom = part['metric'] !== undefined || part['targetValue'] !== undefined || part['type'] === 'custom';
  if (custom) {
    Object.assign(part, { type: 'custom', metric: part['metric'] ?? { name: 'queue' } });
    part['targetValue'] ??= '5';
    delete part['targetAverageUtilization'];
  } else part['targetAverageUtilization'] ??= 60;
}

function pool(spec: Part, draw: Draw): void {
  spec['template'] ??= { spec: { resources: { cpu: 1, memory: '512Mi' } } };
  const scaling = spec['autoscaling'] as Part | undefined;
  if (scaling?.['enabled'] === true) spec['maxReplicas'] ??= 9;
  const least = draw.below(4);
  const wanted = least + draw.below(4);
  if (spec['minReplicas'] !== undefined) spec['minReplicas'] = least;
  if (spec['replicas'] !== undefined) spec['replicas'] = wanted;
  if (spec['maxReplicas'] !== undefined) spec['maxReplicas'] = Math.max(1, wanted) + draw.below(3);
  const selector = spec['selector'] as Part | undefined;
  if (selector !== undefined) selected(spec['template'] as Part, selector);
}

/** Gives the template labels that its pool selects. */
function selected(template: Part, selector: Part): void {
  const metadata = (template['metadata'] ??= {}) as Part;
  const own: Part = { app: 'web', ...(selector['matchLabels'] as Part) };
  metadata['labels'] = own;
  if (selector['matchExpressions'] === undefined) return;
  selector['matchExpressions'] = [
    { key: 'app', operator: 'In', values: [own['app'], 'other'] },
    { key: 'no-such-label', operator: 'DoesNotExist' },
  ];
}
