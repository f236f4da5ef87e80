import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#platform/kube/kube-object';
import { ANONYMOUS } from '../access/user.ts';
import { decodeBuiltIn } from '../builtin-schema/decode.ts';
import discovery from '../kubernetes/discovery.data.json' with { type: 'json' };
// Objects as sent to Kubernetes 1.36 and as stored by it, without the changes of admission.
import answers from './stored.data.json' with { type: 'json' };
import { strategyOf } from './strategy-of.ts';
import traits from './traits.data.json' with { type: 'json' };
import warned from './warnings.data.json' with { type: 'json' };

describe('the strategy of a built-in kind', () => {
  it('exists for every resource that can be updated', () => {
    const named = Object.entries(discovery).flatMap(([group, versions]) =>
      versions.flatMap(({ resources }) =>
        resources.filter(({ verbs }) => verbs.includes('update')).map(({ resource }) => `${resource}.${group}`),
      ),
    );
    expect(new Set(Object.keys(traits))).toEqual(new Set(named));
  });

  it('has a status exactly if the resource has a status subresource', () => {
    const withStatus = Object.entries(discovery).flatMap(([group, versions]) =>
      versions.flatMap(({ resources }) =>
        resources
          .filter((found) => JSON.stringify(found).includes('"subresource":"status"'))
          .map(({ resource }) => `${resource}.${group}`),
      ),
    );
    const known = Object.entries(traits).filter(([, found]) => 'status' in found);
    expect(new Set(known.map(([name]) => name))).toEqual(new Set(withStatus));
  });

  it.each(answers)('stores a $given.kind as Kubernetes does', ({ group, plural, given, stored }) => {
    const object = decodeBuiltIn(given.apiVersion, given.kind, given)?.object as unknown as KubeObject;
    const strategy = strategyOf(group, plural);
    strategy.defaults?.(object);
    strategy.prepareCreate?.(object, ANONYMOUS);
    expect(strategy.validate?.(object) ?? []).toEqual([]);
    expect(withoutAuthor(object)).toEqual(stored);
  });

  it.each(warned)('warns as Kubernetes does: $warnings', ({ group, plural, object, warnings }) => {
    const read = decodeBuiltIn(object.apiVersion, object.kind, object)?.object as unknown as KubeObject;
    const strategy = strategyOf(group, plural);
    strategy.defaults?.(read);
    strategy.prepareCreate?.(read, ANONYMOUS);
    expect(strategy.warnings?.(read) ?? []).toEqual(warnings);
  });

  it('requires qualified names of finalizers, for most kinds', () => {
    const object = { apiVersion: 'v1', kind: 'X', metadata: { finalizers: ['foo', 'x.io/y', 'orphan'] } };
    const [cause, ...more] = strategyOf('', 'configmaps').validate?.(object) ?? [];
    expect(cause).toMatchObject({ field: 'metadata.finalizers[0]', value: 'foo' });
    expect(more).toEqual([]);
    expect(strategyOf('coordination.k8s.io', 'leases').validate?.(object)).toEqual([]);
  });

  it('gives a Job and its pods the labels and the selector that connect them', () => {
    const template = {
      metadata: { labels: { z: 'y' } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
    };
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'j', uid: 'u' },
      spec: { template },
    } as KubeObject & {
      spec: { selector?: unknown };
    };
    const strategy = strategyOf('batch', 'jobs');
    strategy.defaults?.(job);
    strategy.prepareCreate?.(job, ANONYMOUS);
    const labels = {
      z: 'y',
      'job-name': 'j',
      'batch.kubernetes.io/job-name': 'j',
      'controller-uid': 'u',
      'batch.kubernetes.io/controller-uid': 'u',
    };
    expect(job.metadata.labels).toEqual(labels);
    expect(job.metadata.labels).not.toBe(template.metadata.labels);
    expect(template.metadata.labels).toEqual(labels);
    expect(job.spec.selector).toEqual({ matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } });
    expect(strategy.validate?.(job)).toEqual([]);
  });

  it('counts the template generations of a DaemonSet', () => {
    const strategy = strategyOf('apps', 'daemonsets');
    const made = (image: string) => ({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'd' } as KubeObject['metadata'],
      spec: { template: { spec: { containers: [{ name: 'c', image }] } } },
    });
    const generation = ({ metadata }: KubeObject) => metadata.annotations?.['deprecated.daemonset.template.generation'];
    const [old, same, other] = [made('a'), made('a'), made('b')];
    for (const each of [old, same, other]) strategy.defaults?.(each);
    strategy.prepareCreate?.(old, ANONYMOUS);
    strategy.prepareUpdate?.(same, old);
    strategy.prepareUpdate?.(other, old);
    expect([old, same, other].map(generation)).toEqual(['1', '1', '2']);
  });
});

/** Removes the author of a certificate request, which was not recorded. */
function withoutAuthor(object: KubeObject): KubeObject {
  if (object.kind !== 'CertificateSigningRequest') return object;
  const { username: _username, groups: _groups, ...spec } = object['spec'] as Record<string, unknown>;
  return { ...object, spec };
}
