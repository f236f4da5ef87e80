import type { Random } from '#platform/base/random';
import type { Seed } from '../../../fuzz/seeds.ts';
import { corrupted } from '../plausible.ts';
import {
  APPLY_PATCH,
  collection,
  JSON_PATCH,
  MERGE_PATCH,
  NAMESPACE,
  STRATEGIC_PATCH,
  type Step,
  versionOf,
} from '../step.ts';
import { SEEDS } from './kinds.ts';

const MANAGERS = ['one', 'two', 'three'];
const OWN = new Set([
  'ConfigMap',
  'Deployment',
  'Service',
  'Gadget',
  'Pod',
  'Role',
  'Ingress',
  'NetworkPolicy',
  'HorizontalPodAutoscaler',
  'Node',
  'PersistentVolumeClaim',
]);

/** Several managers apply to one object, with conflicts and force, while others patch and update it. */
export function applies(random: Random): Step[] {
  const seed = random.pick(SEEDS.filter(({ body }) => OWN.has(String(body['kind']))));
  const path = `${collection(seed.apiVersion, seed.plural, seed.namespaced ? NAMESPACE : undefined)}/${seed.body.metadata.name}`;
  const steps: Step[] = [
    apply(random, path, random.next() < 0.5 ? seed.body : subset(random, seed.body), 'one', false),
  ];
  for (let left = random.int(6, 12); left > 0; left--) steps.push(next(random, seed, path));
  steps.push({ method: 'GET', path });
  return steps;
}

function next(random: Random, seed: Seed, path: string): Step {
  const query = { fieldManager: random.pick(MANAGERS) };
  const choice = random.int(0, 9);
  if (choice < 6) {
    const config = random.next() < 0.4 ? subset(random, seed.body) : subset(random, corrupted(random, seed.body));
    const place = choice === 0 && (seed.subresources ?? []).includes('status') ? `${path}/status` : path;
    return apply(random, place, config, random.pick(MANAGERS), random.next() < 0.4);
  }
  const body = subset(random, corrupted(random, seed.body));
  if (choice === 6) return { method: 'PATCH', path, query, contentType: MERGE_PATCH, body };
  if (choice === 7) return { method: 'PATCH', path, query, contentType: STRATEGIC_PATCH, body };
  if (choice === 8) {
    const full = corrupted(random, seed.body);
    return {
      method: 'PUT',
      path,
      query,
      body: { ...full, metadata: { ...full.metadata, resourceVersion: versionOf(path) } },
    };
  }
  const value = random.pick<unknown>([[], [{}], null, {}]);
  return {
    method: 'PATCH',
    path,
    query,
    contentType: JSON_PATCH,
    body: [{ op: 'add', path: '/metadata/managedFields', value }],
  };
}

function apply(random: Random, path: string, body: object, fieldManager: string, force: boolean): Step {
  const query = {
    fieldManager,
    ...(force ? { force: 'true' } : {}),
    ...(random.next() < 0.1 ? { dryRun: 'All' } : {}),
  };
  return { method: 'PATCH', path, query, contentType: APPLY_PATCH, body };
}

/** Returns the object without some random fields, except those that identify it. */
function subset<T extends object>(random: Random, value: T, depth = 0): T {
  if (Array.isArray(value)) return value.map((item) => deeper(random, item, depth)) as unknown as T;
  const entries = Object.entries(value).filter(([key]) => RETAINED.has(key) || random.next() < 0.8);
  return Object.fromEntries(entries.map(([key, inner]) => [key, deeper(random, inner, depth)])) as T;
}

function deeper(random: Random, value: unknown, depth: number): unknown {
  return typeof value === 'object' && value !== null && depth < 6 ? subset(random, value, depth + 1) : value;
}

const RETAINED = new Set([
  'apiVersion',
  'kind',
  'metadata',
  'name',
  'spec',
  'selector',
  'template',
  'matchLabels',
  'app',
  'labels',
  'containers',
  'key',
  'ports',
  'port',
]);
