import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#platform/kube/kube-object';
import { byController, type Change, controllerKey, type Index, IndexedCache } from './cache.ts';
import { keyOf } from './key.ts';

const byColor: Index = { values: (object) => object['colors'] as string[] };

const arbitraryObject = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  namespace: fc.constantFrom('x', 'y'),
  uid: fc.constantFrom('1', '2'),
  colors: fc.uniqueArray(fc.constantFrom('red', 'green', 'blue')),
});
type Made = typeof arbitraryObject extends fc.Arbitrary<infer T> ? T : never;

const objectOf = ({ name, namespace, uid, colors }: Made, version: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, namespace, uid: `${namespace}-${name}-${uid}`, resourceVersion: String(version) },
  colors,
});

const arbitraryStep = fc.oneof(
  fc.record({ put: arbitraryObject }),
  fc.record({ remove: arbitraryObject }),
  fc.record({
    replace: fc.uniqueArray(arbitraryObject, { selector: ({ name, namespace }) => `${namespace}/${name}` }),
  }),
);

describe('a cache', () => {
  it('contains its objects, finds them by every index, and reports consistent changes', () => {
    fc.assert(
      fc.property(fc.array(arbitraryStep, { maxLength: 40 }), (steps) => {
        const reported = new Map<string, KubeObject>();
        const tell = (change: Change): void => {
          const { uid = '' } = change.object.metadata;
          expect(reported.has(uid)).toBe(change.type !== 'added');
          if (change.type === 'updated') expect(reported.get(uid)).toBe(change.old);
          if (change.type === 'deleted') reported.delete(uid);
          else reported.set(uid, change.object);
        };
        const cache = new IndexedCache<KubeObject>(tell);
        const model = new Map<string, KubeObject>();
        steps.forEach((step, i) => {
          // Half of the steps run before the index exists.
          if (i > steps.length / 2) cache.by(byColor, 'red');
          if ('put' in step) {
            const object = objectOf(step.put, i + 1);
            model.set(keyOf(object), object);
            cache.put(object);
          } else if ('remove' in step) {
            const object = objectOf(step.remove, i + 1);
            if (model.get(keyOf(object))?.metadata.uid !== object.metadata.uid) return;
            model.delete(keyOf(object));
            cache.remove(object);
          } else {
            model.clear();
            const objects = step.replace.map((made) => objectOf(made, i + 1));
            for (const object of objects) model.set(keyOf(object), object);
            cache.replace(objects, String(i + 1));
          }
          expect(cache.version).toBe(String(i + 1));
        });
        expect(new Set(cache.all())).toEqual(new Set(model.values()));
        expect(new Set(reported.values())).toEqual(new Set(model.values()));
        for (const color of ['red', 'green', 'blue']) {
          const desired = [...model.values()].filter((object) => (object['colors'] as string[]).includes(color));
          expect(new Set(cache.by(byColor, color))).toEqual(new Set(desired));
        }
        for (const namespace of ['x', 'y']) {
          const desired = [...model.values()].filter(({ metadata }) => metadata.namespace === namespace);
          expect(new Set(cache.inNamespace(namespace))).toEqual(new Set(desired));
        }
      }),
    );
  });

  it('reports nothing for an object that it already contains', () => {
    const changes: Change[] = [];
    const cache = new IndexedCache<KubeObject>((change) => changes.push(change));
    const object = objectOf({ name: 'a', namespace: 'x', uid: '1', colors: [] }, 7);
    cache.put(object);
    cache.replace([structuredClone(object)], '9');
    expect(changes.map(({ type }) => type)).toEqual(['added']);
  });

  it('reports an object with the name of a deleted one as a new one', () => {
    const changes: Change[] = [];
    const cache = new IndexedCache<KubeObject>((change) => changes.push(change));
    cache.put(objectOf({ name: 'a', namespace: 'x', uid: '1', colors: [] }, 7));
    cache.replace([objectOf({ name: 'a', namespace: 'x', uid: '2', colors: [] }, 9)], '9');
    expect(changes.map(({ type, object }) => `${type} ${object.metadata.uid}`)).toEqual([
      'added x-a-1',
      'deleted x-a-1',
      'added x-a-2',
    ]);
  });

  it('compares resource versions as numbers of any length', () => {
    const cache = new IndexedCache<KubeObject>();
    cache.reached('9');
    cache.reached('10');
    cache.reached('2');
    expect(cache.version).toBe('10');
    cache.reached('99999999999999999999');
    cache.reached('100000000000000000000');
    expect(cache.version).toBe('100000000000000000000');
  });
});

it('finds the objects of a controller by owner, even if others have the same uid', () => {
  const cache = new IndexedCache<KubeObject>();
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Owner', name: 'o', uid: 'u', controller: true }];
  const item = (namespace: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { name: 'a', namespace, uid: namespace, resourceVersion: '1', ownerReferences },
  });
  cache.replace([item('x'), item('y')], '1');
  const found = cache.by(byController, controllerKey({ metadata: { namespace: 'x', name: 'o', uid: 'u' } }));
  expect([...found].map(keyOf)).toEqual(['x/a']);
});
