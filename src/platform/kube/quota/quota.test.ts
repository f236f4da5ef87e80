import { describe, expect, it } from 'vitest';
import type { Pod } from '../kinds/pod.ts';
import type { ResourceQuotaSpec } from '../kinds/resource-quota.ts';
import type { KubeObject } from '../kube-object.ts';
import { formatAmounts } from '../resources/amounts.ts';
import { countedBy } from './counted-resource.ts';
import { isInScope } from './quota-scope.ts';
import { countedResources, quotaStatus } from './quota-status.ts';
import { usageOf } from './usage.ts';

const PODS = { group: '', plural: 'pods' };
const CLAIMS = { group: '', plural: 'persistentvolumeclaims' };
const NOW = Date.parse('2030-01-01T00:00:00Z');
const object = (more: object): KubeObject => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name: 'x' }, ...more });
const pod = (spec: object, more: object = {}): Pod => object({ spec: { containers: [], ...spec }, ...more }) as Pod;
const takes = (cpu: string, more: object = {}) => ({ name: 'c', resources: { requests: { cpu } }, ...more });
const use = (plural: string, thing: KubeObject, group = '') => formatAmounts(usageOf({ group, plural }, thing, NOW));

describe('the usage of an object', () => {
  it.each<[string, Record<string, string>, Record<string, string>]>([
    [
      'of a pod is the sum of its containers, by request and limit',
      use(
        'pods',
        pod({
          containers: [
            takes('500m'),
            {
              name: 'd',
              resources: { requests: { cpu: 1, memory: '1Gi' }, limits: { memory: '2Gi', 'example.com/gpu': 1 } },
            },
          ],
        }),
      ),
      {
        'count/pods': '1',
        pods: '1',
        cpu: '1500m',
        'requests.cpu': '1500m',
        memory: '1Gi',
        'requests.memory': '1Gi',
        'limits.memory': '2Gi',
      },
    ],
    [
      'of a pod is that of its init containers if they request more',
      use('pods', pod({ containers: [takes('1')], initContainers: [takes('3')] })),
      { 'count/pods': '1', pods: '1', cpu: '3', 'requests.cpu': '3' },
    ],
    [
      'of a pod includes sidecars with its containers and with later init containers',
      use(
        'pods',
        pod({ containers: [takes('1')], initContainers: [takes('500m', { restartPolicy: 'Always' }), takes('2')] }),
      ),
      { 'count/pods': '1', pods: '1', cpu: '2500m', 'requests.cpu': '2500m' },
    ],
    [
      'of a pod with pod-level resources is these plus the overhead',
      use('pods', pod({ containers: [takes('1')], resources: { requests: { cpu: '5' } }, overhead: { cpu: '250m' } })),
      { 'count/pods': '1', pods: '1', cpu: '5250m', 'requests.cpu': '5250m' },
    ],
    [
      'of devices and huge pages is the request',
      use(
        'pods',
        pod({ containers: [{ name: 'c', resources: { requests: { 'example.com/gpu': 2, 'hugepages-2Mi': '4Mi' } } }] }),
      ),
      {
        'count/pods': '1',
        pods: '1',
        'requests.example.com/gpu': '2',
        'hugepages-2Mi': '4Mi',
        'requests.hugepages-2Mi': '4Mi',
      },
    ],
    [
      'of a finished pod is only its object count',
      use('pods', pod({ containers: [takes('1')] }, { status: { phase: 'Succeeded' } })),
      { 'count/pods': '1' },
    ],
    [
      'of a pod past its grace period is only its object count',
      use('pods', pod({}, { metadata: { deletionTimestamp: '2029-12-31T23:59:00Z', deletionGracePeriodSeconds: 30 } })),
      { 'count/pods': '1' },
    ],
    [
      'of a load balancer includes its node ports',
      use('services', object({ spec: { type: 'LoadBalancer', ports: [{}, {}] } })),
      { 'count/services': '1', services: '1', 'services.nodeports': '2', 'services.loadbalancers': '1' },
    ],
    [
      'of a load balancer without allocated node ports is those that it names',
      use(
        'services',
        object({
          spec: { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports: [{ nodePort: 30000 }, {}] },
        }),
      ),
      { 'count/services': '1', services: '1', 'services.nodeports': '1', 'services.loadbalancers': '1' },
    ],
    [
      'of a claim is its storage, also by class',
      use(
        'persistentvolumeclaims',
        object({ spec: { storageClassName: 'fast', resources: { requests: { storage: '10Gi' } } } }),
      ),
      {
        'count/persistentvolumeclaims': '1',
        persistentvolumeclaims: '1',
        'requests.storage': '10Gi',
        'fast.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
        'fast.storageclass.storage.k8s.io/requests.storage': '10Gi',
      },
    ],
    [
      'of a growing claim is its allocated storage, in whole bytes',
      use(
        'persistentvolumeclaims',
        object({
          spec: { resources: { requests: { storage: '10Gi' } } },
          status: { allocatedResources: { storage: '21474836480500m' } },
        }),
      ),
      { 'count/persistentvolumeclaims': '1', persistentvolumeclaims: '1', 'requests.storage': '21474836481' },
    ],
    [
      'of a shrinking pod is what is still allocated',
      use(
        'pods',
        pod(
          { containers: [{ name: 'c', resources: { requests: { cpu: '1' }, limits: { cpu: '2' } } }] },
          {
            status: {
              containerStatuses: [
                {
                  name: 'c',
                  allocatedResources: { cpu: '3' },
                  resources: { requests: { cpu: '3' }, limits: { cpu: '4' } },
                },
              ],
            },
          },
        ),
      ),
      { 'count/pods': '1', pods: '1', cpu: '3', 'requests.cpu': '3', 'limits.cpu': '4' },
    ],
    ['of a secret is one', use('secrets', object({})), { 'count/secrets': '1', secrets: '1' }],
    [
      'of any other object is one',
      use('virtualmachines', object({}), 'kubevirt.io'),
      { 'count/virtualmachines.kubevirt.io': '1' },
    ],
  ])('%s', (_what, used, desired) => {
    expect(used).toEqual(desired);
  });
});

describe('the scope of a quota', () => {
  const plain = pod({ containers: [{ name: 'c' }] });
  const asking = pod({ containers: [takes('1')] });
  const brief = pod({ activeDeadlineSeconds: 60, priorityClassName: 'high' });
  const reaching = pod({
    affinity: {
      podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ podAffinityTerm: { namespaces: ['a'] } }] },
    },
  });
  const selector = (scopeName: string, operator: string, values?: string[]): ResourceQuotaSpec => ({
    scopeSelector: { matchExpressions: [{ scopeName, operator, ...(values === undefined ? {} : { values }) }] },
  });
  it.each<[string, ResourceQuotaSpec, boolean[]]>([
    ['nothing', {}, [true, true, true, true]],
    ['BestEffort', { scopes: ['BestEffort'] }, [true, false, true, true]],
    ['NotBestEffort', { scopes: ['NotBestEffort'] }, [false, true, false, false]],
    ['Terminating', { scopes: ['Terminating'] }, [false, false, true, false]],
    ['NotTerminating', { scopes: ['NotTerminating'] }, [true, true, false, true]],
    ['both', { scopes: ['NotTerminating', 'NotBestEffort'] }, [false, true, false, false]],
    ['a priority class', selector('PriorityClass', 'In', ['high', 'low']), [false, false, true, false]],
    ['any priority class', selector('PriorityClass', 'Exists'), [false, false, true, false]],
    ['all but a priority class', selector('PriorityClass', 'NotIn', ['high']), [true, true, false, true]],
    ['cross-namespace affinity', selector('CrossNamespacePodAffinity', 'Exists'), [false, false, false, true]],
    ['an unknown scope', { scopes: ['Odd'] }, [false, false, false, false]],
  ])('of %s', (_what, spec, desired) => {
    expect([plain, asking, brief, reaching].map((each) => isInScope(spec, PODS, each))).toEqual(desired);
  });
});

describe('the scope of a volume attributes class', () => {
  const claim = (desired?: string, status: object = {}) =>
    object({ spec: desired === undefined ? {} : { volumeAttributesClassName: desired }, status });
  const none = claim();
  const gold = claim('gold');
  const changing = claim('gold', { currentVolumeAttributesClassName: 'silver' });
  const target = claim('', { modifyVolumeStatus: { targetVolumeAttributesClassName: 'gold' } });
  it.each<[string, string[] | undefined, boolean[]]>([
    ['Exists', undefined, [false, true, true, true]],
    ['DoesNotExist', undefined, [true, false, false, false]],
    ['In', ['gold'], [false, true, true, true]],
    ['In', ['silver'], [false, false, true, false]],
    ['NotIn', ['gold'], [true, false, true, false]],
  ])('with %s %j applies to every class that a claim has, requests or is changed to', (operator, values, expected) => {
    const requirement = { scopeName: 'VolumeAttributesClass', operator, ...(values === undefined ? {} : { values }) };
    const spec = { scopeSelector: { matchExpressions: [requirement] } };
    expect([none, gold, changing, target].map((each) => isInScope(spec, CLAIMS, each))).toEqual(expected);
  });

  it('applies only to claims, which have no other scope', () => {
    const scoped = { scopes: ['VolumeAttributesClass'] };
    expect(isInScope(scoped, PODS, pod({ volumeAttributesClassName: 'gold' }))).toBe(false);
    expect(isInScope(scoped, { group: '', plural: 'secrets' }, gold)).toBe(false);
    expect(isInScope({ scopes: ['NotTerminating'] }, CLAIMS, gold)).toBe(false);
  });

  it('counts the claims in it', () => {
    const hard = { persistentvolumeclaims: '5', secrets: '1' };
    const quota = { ...object({}), spec: { hard, scopes: ['VolumeAttributesClass'] } };
    expect(countedResources(quota)).toEqual([CLAIMS]);
    expect(quotaStatus(quota, [[CLAIMS, [none, gold, target]]], NOW).used).toEqual({
      persistentvolumeclaims: '2',
      secrets: '0',
    });
  });
});

describe('the status of a quota', () => {
  it('sums the usage for exactly the resources that it limits', () => {
    const hard = { pods: '10', 'requests.cpu': '4', secrets: '5', 'limits.memory': '1Gi' };
    const quota = { ...object({}), spec: { hard } };
    const pods = [pod({ containers: [takes('500m')] }), pod({ containers: [takes('250m')] })];
    expect(quotaStatus(quota, [[{ group: '', plural: 'pods' }, pods]], NOW)).toEqual({
      hard,
      used: { pods: '2', 'requests.cpu': '750m', secrets: '0', 'limits.memory': '0' },
    });
  });

  it('with scopes counts no Secrets or other objects without a scope', () => {
    const hard = { pods: '1', secrets: '1' };
    expect(countedResources({ ...object({}), spec: { hard } }).map(({ plural }) => plural)).toEqual([
      'pods',
      'secrets',
    ]);
    expect(countedResources({ ...object({}), spec: { hard, scopes: ['BestEffort'] } })).toEqual([
      { group: '', plural: 'pods' },
    ]);
  });

  it.each([
    ['pods', { group: '', plural: 'pods' }],
    ['limits.cpu', { group: '', plural: 'pods' }],
    ['requests.nvidia.com/gpu', { group: '', plural: 'pods' }],
    ['hugepages-1Gi', { group: '', plural: 'pods' }],
    ['requests.storage', { group: '', plural: 'persistentvolumeclaims' }],
    ['fast.storageclass.storage.k8s.io/requests.storage', { group: '', plural: 'persistentvolumeclaims' }],
    ['services.nodeports', { group: '', plural: 'services' }],
    ['count/virtualmachines.kubevirt.io', { group: 'kubevirt.io', plural: 'virtualmachines' }],
    ['count/configmaps', { group: '', plural: 'configmaps' }],
    ['bananas', undefined],
  ])('counts the right objects for %s', (limit, resource) => {
    expect(countedBy(limit)).toEqual(resource);
  });
});
