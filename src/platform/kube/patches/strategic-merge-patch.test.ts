import { describe, expect, it } from 'vitest';
import type { Json } from '#platform/schema/json-schema';
import type { JsonObject } from './json-object.ts';
import { PatchError } from './patch-error.ts';
import { PatchSchemas } from './patch-schema.ts';
import answers from './strategic-merge-patch.data.json' with { type: 'json' };
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

interface Answer {
  readonly kind: string;
  readonly target: JsonObject;
  readonly patch: Json;
  readonly result?: JsonObject;
  readonly error?: { readonly status: number; readonly message: string };
}

const named = (type: string) => ({ $ref: `#/components/schemas/${type}` });
const merged = (type: string, mergeKey: string, strategy = 'merge') => ({
  type: 'array',
  items: named(type),
  'x-kubernetes-patch-strategy': strategy,
  'x-kubernetes-patch-merge-key': mergeKey,
});
const list = { type: 'array', items: { type: 'string' } };
const map = { type: 'object', additionalProperties: { type: 'string' } };
const any = { type: 'object', additionalProperties: {} };
const scalar = { type: 'string' };

/** The types in the recorded responses, reduced to a minimum. Merge keys are facts of the Kubernetes API. */
const schemas = new PatchSchemas({
  Meta: {
    properties: {
      labels: map,
      annotations: map,
      finalizers: { ...list, 'x-kubernetes-patch-strategy': 'merge' },
      ownerReferences: merged('Any', 'uid'),
    },
  },
  Any: { properties: {}, ...any },
  ConfigMap: { properties: { metadata: named('Meta'), data: map } },
  ServiceAccount: {
    properties: {
      metadata: named('Meta'),
      secrets: merged('Any', 'name'),
      imagePullSecrets: { type: 'array', items: named('Any') },
    },
  },
  Service: { properties: { metadata: named('Meta'), spec: named('ServiceSpec'), status: named('Any') } },
  ServiceSpec: {
    properties: { ports: merged('Any', 'port'), sessionAffinityConfig: any, clusterIPs: list, ipFamilies: list },
  },
  Node: { properties: { metadata: named('Meta'), spec: named('NodeSpec'), status: named('NodeStatus') } },
  NodeSpec: { properties: { taints: { type: 'array', items: any } } },
  NodeStatus: {
    properties: {
      conditions: merged('Any', 'type'),
      addresses: merged('Any', 'type'),
      capacity: map,
      allocatable: map,
      daemonEndpoints: named('Endpoints'),
      nodeInfo: map,
    },
  },
  Endpoints: { properties: { kubeletEndpoint: map } },
  Deployment: { properties: { metadata: named('Meta'), spec: named('DeploymentSpec'), status: any } },
  DeploymentSpec: {
    properties: {
      strategy: { ...named('Strategy'), 'x-kubernetes-patch-strategy': 'retainKeys' },
      template: named('Template'),
    },
  },
  Strategy: { properties: { type: scalar, rollingUpdate: map } },
  Template: { properties: { metadata: named('Meta'), spec: named('PodSpec') } },
  Pod: { properties: { metadata: named('Meta'), spec: named('PodSpec'), status: any } },
  PodSpec: {
    properties: {
      containers: merged('Container', 'name'),
      initContainers: merged('Container', 'name'),
      volumes: merged('Volume', 'name', 'merge,retainKeys'),
      imagePullSecrets: merged('Any', 'name'),
      hostAliases: merged('Any', 'ip'),
      nodeSelector: map,
      securityContext: any,
      affinity: any,
      resources: named('Resources'),
      tolerations: { type: 'array', items: any },
    },
  },
  Volume: { properties: { emptyDir: map, hostPath: map } },
  Resources: { properties: { limits: map, requests: map } },
  Container: {
    properties: {
      env: merged('Any', 'name'),
      ports: merged('Any', 'containerPort'),
      volumeMounts: merged('Any', 'mountPath'),
      command: list,
      args: list,
      resources: named('Resources'),
      securityContext: any,
      lifecycle: any,
    },
  },
});

function apply(kind: string, target: JsonObject, patch: Json): JsonObject {
  const schema = schemas.get(kind);
  if (schema === undefined) throw new Error(`no schema of ${kind}`);
  return applyStrategicMergePatch(target, patch, schema);
}

describe('applyStrategicMergePatch', () => {
  it.each(answers as unknown as Answer[])('patches $kind with $patch as Kubernetes does', (response) => {
    const before = JSON.stringify([response.target, response.patch]);
    if (response.error === undefined) {
      expect(apply(response.kind, response.target, response.patch)).toStrictEqual(response.result);
    } else {
      const { status, message } = response.error;
      expect(() => apply(response.kind, response.target, response.patch)).toThrow(
        expect.objectContaining({ status, message }),
      );
    }
    expect(JSON.stringify([response.target, response.patch])).toBe(before);
  });

  it.each([
    [{ metadata: { labels: { $patch: 'wat' } } }, 500, 'unknown patch type: wat in map: map[$patch:wat]'],
    [{ $patch: 1 }, 500, 'unknown patch type: %!s(int64=1) in map: map[$patch:1]'],
    [{ spec: { containers: [{ image: 'x' }] } }, 500, 'map: map[image:x] does not contain declared merge key: name'],
    [
      { spec: { containers: [{ $patch: 'merge', name: 'a' }] } },
      500,
      'merging lists cannot yet be specified in the patch',
    ],
    [{ spec: { containers: [[1]] } }, 500, 'list element types are not identical: [[map[image:i name:a]] [[1]]]'],
    [{ spec: { $setElementOrder: [] } }, 400, 'invalid patch format of setElementOrder list'],
    [{ metadata: { $deleteFromPrimitiveList: ['x'] } }, 400, 'invalid patch format of primitive list'],
    [{ metadata: { $retainKeys: 'name' } }, 400, 'invalid patch format of retainKeys'],
    [{ metadata: { $retainKeys: ['name'], labels: {} } }, 400, 'invalid patch format of retainKeys'],
    [
      { spec: { '$setElementOrder/nope': [] } },
      500,
      'unable to find api field in struct PodSpec for the json field "nope"',
    ],
    [{ spec: { '$setElementOrder/containers': 'x' } }, 500, 'expected a []interface {}, but received a string'],
    [
      { spec: { '$setElementOrder/containers': [{ name: 'b' }], containers: [{ name: 'a' }] } },
      500,
      "The order in patch list:\n[map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:b]]\n",
    ],
    [[], 400, 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
  ])('rejects %j with the message of Kubernetes', (patch, status, message) => {
    const pod = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'i' }] } };
    expect(() => apply('Pod', pod, patch)).toThrow(expect.objectContaining({ status, message }));
  });

  it('shares unchanged parts with the target', () => {
    const pod = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a' }], volumes: [{ name: 'v' }] } };
    const result = apply('Pod', pod, { spec: { containers: [{ name: 'a', image: 'i' }] } });
    expect(result['metadata']).toBe(pod.metadata);
    expect((result['spec'] as JsonObject)['volumes']).toBe(pod.spec.volumes);
  });

  it('treats the null patch as no change', () => {
    const target = { data: {} };
    expect(apply('ConfigMap', target, null)).toBe(target);
  });

  it('sets a member named __proto__ without changing any prototype', () => {
    const patch = JSON.parse('{"data":{"__proto__":{"polluted":"yes"}}}') as Json;
    const result = apply('ConfigMap', { data: { a: '1' } }, patch);
    expect(Object.hasOwn(result['data'] as object, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(result['data'])).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('rejects a patch that is nested too deeply', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`) as Json;
    expect(() => apply('ConfigMap', { data: { a: '1' } }, { data: { b: deep } })).toThrow(PatchError);
  });
});
