import type { Random } from '#platform/base/random';
import { GROUP, gadget } from '../definition.ts';
import { collection, JSON_PATCH, MERGE_PATCH, type Step, uidOf, versionOf } from '../step.ts';

const KINDS: readonly (readonly [string, string])[] = [
  [`${GROUP}/v1`, 'gadgets'],
  [`${GROUP}/v1`, 'gadgets'],
  ['v1', 'configmaps'],
  ['apps/v1', 'deployments'],
  ['v1', 'pods'],
  ['batch/v1', 'jobs'],
  ['v1', 'services'],
];

/** Deletions with every option, of objects with finalizers and of whole collections. */
export function deletes(random: Random): Step[] {
  const [apiVersion, plural] = random.pick(KINDS);
  const path = collection(apiVersion, plural);
  const steps: Step[] = [];
  for (const name of ['a', 'b', 'c']) {
    const finalizers = random.pick([
      undefined,
      [],
      ['x.y/z'],
      ['x.y/z', 'orphan'],
      ['foregroundDeletion'],
      ['bad'],
      ['x.y/z', 'x.y/z'],
    ]);
    const metadata = {
      name,
      labels: { app: random.pick(['x', 'y']) },
      ...(finalizers === undefined ? {} : { finalizers }),
    };
    steps.push({ method: 'POST', path, body: { ...bodyFor(path, name), metadata } });
  }
  for (let left = random.int(5, 10); left > 0; left--) steps.push(next(random, path));
  steps.push({ method: 'GET', path });
  return steps;
}

function bodyFor(path: string, name: string): object {
  const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  if (path.endsWith('gadgets')) return gadget(name);
  if (path.endsWith('deployments')) return { spec: { selector: { matchLabels: { app: 'x' } }, template } };
  if (path.endsWith('jobs')) return { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } };
  if (path.endsWith('pods')) return { spec: template.spec };
  if (path.endsWith('services')) return { spec: { ports: [{ port: 80 }] } };
  return { data: { a: 'b' } };
}

function next(random: Random, path: string): Step {
  const name = random.pick(['a', 'b', 'c', 'd']);
  const object = `${path}/${name}`;
  const choice = random.int(0, 9);
  if (choice < 5) return { method: 'DELETE', path: object, ...options(random, object) };
  if (choice === 5)
    return {
      method: 'DELETE',
      path,
      ...options(random, object),
      query: {
        ...options(random, object).query,
        ...random.pick([{ labelSelector: 'app=x' }, { fieldSelector: 'metadata.name=b' }, { limit: '1' }]),
      },
    };
  if (choice === 6)
    return {
      method: 'PATCH',
      path: object,
      contentType: MERGE_PATCH,
      body: { metadata: { finalizers: random.pick([null, [], ['x.y/z'], ['new.one/x'], ['x.y/z', 'new.one/x']]) } },
    };
  if (choice === 7)
    return {
      method: 'PATCH',
      path: object,
      contentType: JSON_PATCH,
      body: [{ op: 'remove', path: '/metadata/finalizers/0' }],
    };
  if (choice === 8)
    return {
      method: 'PATCH',
      path: object,
      contentType: MERGE_PATCH,
      body: {
        metadata: random.pick([
          { labels: { new: 'x' } },
          { deletionTimestamp: null },
          { deletionTimestamp: '2026-01-01T00:00:00Z' },
          { deletionGracePeriodSeconds: 5 },
          { uid: 'x' },
          { name: 'other' },
          { namespace: 'other' },
          { generation: 7 },
          { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' }] },
          { ownerReferences: [{ kind: 'X' }] },
          { resourceVersion: '1' },
          { resourceVersion: versionOf(object) },
          { creationTimestamp: null },
          { selfLink: 'x' },
        ]),
      },
    };
  return { method: 'GET', path: object };
}

function options(random: Random, object: string): Pick<Step, 'body' | 'query'> {
  const given = {
    ...(random.next() < 0.4 ? { propagationPolicy: random.pick(['Foreground', 'Background', 'Orphan', 'Wrong']) } : {}),
    ...(random.next() < 0.2 ? { gracePeriodSeconds: random.pick([0, 1, 30, -1]) } : {}),
    ...(random.next() < 0.2 ? { orphanDependents: random.pick([true, false]) } : {}),
    ...(random.next() < 0.2 ? { dryRun: random.pick([['All'], [], ['Some']]) } : {}),
    ...(random.next() < 0.3
      ? {
          preconditions: random.pick([
            { uid: uidOf(object) },
            { uid: 'wrong' },
            { resourceVersion: versionOf(object) },
            { resourceVersion: '1' },
            { uid: uidOf(object), resourceVersion: versionOf(object, 1) },
          ]),
        }
      : {}),
  };
  if (random.next() < 0.2) {
    const { propagationPolicy, gracePeriodSeconds, orphanDependents } = given;
    const texts = Object.entries({ propagationPolicy, gracePeriodSeconds, orphanDependents }).filter(
      ([, value]) => value !== undefined,
    );
    return { query: Object.fromEntries(texts.map(([key, value]) => [key, String(value)])) };
  }
  return Object.keys(given).length === 0 && random.next() < 0.7
    ? {}
    : { body: { ...(random.next() < 0.5 ? { apiVersion: 'v1', kind: 'DeleteOptions' } : {}), ...given } };
}
