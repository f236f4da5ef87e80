import { beforeEach, describe, expect, test } from 'vitest';
import type { Pod } from '../../kinds/pod/pod-spec.ts';
import { type Cluster, podOf, testCluster } from '../chain.fixture.ts';

const GROUP = 'admissionregistration.k8s.io';

let cluster: Cluster;
beforeEach(async () => {
  cluster = await testCluster();
});

const apply = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

async function bind(
  mutations: object[],
  spec: object = {},
  name = 'p',
  resources = ['configmaps', 'pods'],
): Promise<void> {
  const rule = { apiGroups: [''], apiVersions: ['v1'], resources, operations: ['CREATE'] };
  await cluster.create(`mutatingadmissionpolicies.${GROUP}`, {
    metadata: { name },
    spec: { matchConstraints: { resourceRules: [rule] }, reinvocationPolicy: 'Never', mutations, ...spec },
  });
  await cluster.create(`mutatingadmissionpolicybindings.${GROUP}`, {
    metadata: { name: 'b' + name.slice(1) },
    spec: { policyName: name },
  });
}

const create = () => cluster.create('configmaps/x', { metadata: { name: 'c' } });

describe('an apply configuration', () => {
  test.each<[expression: string, data: object | undefined, labels: object | undefined]>([
    ['Object{data: {"a": "b"}}', { a: 'b' }, undefined],
    [
      'Object{metadata: Object.metadata{labels: {"a": "b"}}, data: {"k": object.metadata.name}}',
      { k: 'c' },
      { a: 'b' },
    ],
    ['Object{metadata: Object.metadata{labels: Object.metadata.labels{a: "b"}}}', undefined, { a: 'b' }],
    ['Object{?data: optional.of({"a": "b"})}', { a: 'b' }, undefined],
    ['Object{?data: optional.none()}', undefined, undefined],
    ['Object{kind: "Foo", metadata: Object.metadata{name: "other"}}', undefined, undefined],
  ])('is applied: %s', async (expression, data, labels) => {
    await bind([apply(expression)]);
    const made = await create();
    expect(made['data']).toEqual(data);
    expect(made.metadata.labels).toEqual(labels);
    expect(made).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'c' } });
  });

  test('merges lists by their keys', async () => {
    await bind([
      apply(
        'Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, imagePullPolicy: "Never"}), initContainers: [Object.spec.initContainers{name: "mesh", image: "m", restartPolicy: "Always"}]}}',
      ),
    ]);
    const { spec } = (await cluster.create('pods/x', podOf())) as Pod;
    expect(spec.containers).toMatchObject([{ name: 'c', image: 'i', imagePullPolicy: 'Never' }]);
    expect(spec.initContainers).toMatchObject([{ name: 'mesh', volumeMounts: [{ readOnly: true }] }]);
  });

  test.each<[problem: string, expression: string]>([
    [
      'error applying patch: failed to convert patch object to typed object: .foo: field not declared in schema',
      'Object{foo: "x"}',
    ],
    [
      'error applying patch: failed to convert patch object to typed object: .data: expected map, got &{x}',
      'Object{data: "x"}',
    ],
    [
      'error applying patch: failed to convert patch object to typed object: .data.a: expected string, got &value.valueUnstructured{Value:1}',
      'Object{data: {"a": 1}}',
    ],
    [
      'expression \'Object{data: {"a": object.spec.x}}\' resulted in error: no such key: spec',
      'Object{data: {"a": object.spec.x}}',
    ],
    [
      'type mismatch: unexpected type name "Object.foo", expected "Object.metadata", which matches field name path from root Object type',
      'Object{metadata: Object.foo{name: "z"}}',
    ],
  ])('cannot be applied: %s', async (problem, expression) => {
    await bind([apply(expression)]);
    const message = `policy 'p' with binding 'b' denied request: ${problem}`;
    expect(await cluster.refused(create())).toMatchObject({
      code: 403,
      reason: 'Invalid',
      message,
      details: { name: 'c', kind: 'configmaps', causes: [{ message }] },
    });
  });

  test('cannot change fields that are atomic', async () => {
    await bind([
      apply(
        'Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: "mesh", image: "m", args: ["a"]}], nodeSelector: {"a": "b"}}}',
      ),
    ]);
    expect((await cluster.refused(cluster.create('pods/x', podOf()))).message).toBe(
      "policy 'p' with binding 'b' denied request: error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.initContainers[0].args, .spec.nodeSelector",
    );
  });
});

describe('a JSON patch', () => {
  test.each<[expression: string, data: object | undefined]>([
    ['[JSONPatch{op: "add", path: "/data", value: {"a": "b"}}]', { a: 'b' }],
    ['[JSONPatch{op: "add", path: "/data", value: Object.data{a: "b"}}]', { a: 'b' }],
    [
      '[JSONPatch{op: "test", path: "/metadata/name", value: "zz"}, JSONPatch{op: "add", path: "/data", value: {}}]',
      undefined,
    ],
    [
      '[JSONPatch{op: "add", path: "/data", value: {}}, JSONPatch{op: "add", path: "/data/" + jsonpatch.escapeKey("a.b"), value: "v"}]',
      { 'a.b': 'v' },
    ],
  ])('is applied: %s', async (expression, data) => {
    await bind([patch(expression)]);
    expect((await create())['data']).toEqual(data);
  });

  test.each<[problem: string, expression: string]>([
    [
      'JSON Patch: add operation does not apply: doc is missing path: "/data/x": missing value',
      '[JSONPatch{op: "add", path: "/data/x", value: "1"}]',
    ],
    [
      'JSON Patch: remove operation does not apply: doc is missing path: "/metadata/name/x": missing value',
      '[JSONPatch{op: "remove", path: "/metadata/name/x"}]',
    ],
    [
      "JSON Patch: error in move for path: 'nope': Unable to remove nonexistent key: nope: missing value",
      '[JSONPatch{op: "move", from: "/nope", path: "/data"}]',
    ],
    ['JSON Patch: Unexpected kind: bad', '[JSONPatch{op: "bad", path: "/data/x", value: "1"}]'],
  ])('cannot be applied: %s', async (problem, expression) => {
    await bind([patch(expression)]);
    expect((await cluster.refused(create())).message).toBe(`policy 'p' with binding 'b' denied request: ${problem}`);
  });

  test('that produces an invalid object is reported as an internal error', async () => {
    await bind([patch('[JSONPatch{op: "copy", from: "/metadata/name", path: "/data"}]')]);
    const { code, message } = await cluster.refused(create());
    expect([code, message]).toEqual([
      500,
      'Internal error occurred: json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string',
    ]);
  });
});

test('a mutation sees the changes of previous ones', async () => {
  await bind(
    [
      apply('Object{data: {"a": "b"}}'),
      patch('[JSONPatch{op: "add", path: "/data/c", value: object.data.a + variables.v}]'),
    ],
    {
      variables: [{ name: 'v', expression: '"x"' }],
      matchConditions: [{ name: 'n', expression: 'object.metadata.name == "c"' }],
    },
  );
  expect((await create())['data']).toEqual({ a: 'b', c: 'bx' });
});

test('failures are ignored if the failure policy is Ignore', async () => {
  await bind([apply('Object{data: {"a": object.spec.x}}')], { failurePolicy: 'Ignore' });
  expect(await create()).not.toHaveProperty('data');
});

test('a policy with reinvocation is evaluated again after another one changed the object', async () => {
  const count = (name: string) =>
    apply(
      `Object{data: {"${name}": has(object.data) && "${name}" in object.data ? object.data["${name}"] + "I" : "I"}}`,
    );
  await bind([count('one')], { reinvocationPolicy: 'IfNeeded' }, 'p1');
  await bind([count('two')], {}, 'p2');
  expect((await create())['data']).toEqual({ one: 'II', two: 'I' });
});

test.each<[cause: string, mutation: object]>([
  [
    'spec.mutations[0].applyConfiguration.expression: Invalid value: "{\\"data\\": {\\"a\\": \\"b\\"}}": must evaluate to Object but got map(string, map(string, string))',
    apply('{"data": {"a": "b"}}'),
  ],
  [
    'spec.mutations[0].applyConfiguration.expression: Invalid value: "object.spec.x": must evaluate to Object but got dyn',
    apply('object.spec.x'),
  ],
  [
    "spec.mutations[0].applyConfiguration.expression: Invalid value: \"Foo{a: 1}\": compilation failed: ERROR: <input>:1:4: undeclared reference to 'Foo' (in container '')\n | Foo{a: 1}\n | ...^",
    apply('Foo{a: 1}'),
  ],
  [
    'spec.mutations[0].jsonPatch.expression: Invalid value: "[{\\"op\\":\\"add\\"}]": must evaluate to list(JSONPatch) but got list(map(string, string))',
    patch('[{"op":"add"}]'),
  ],
  [
    'spec.mutations[0].jsonPatch.expression: Invalid value: "[]": must evaluate to list(JSONPatch) but got list(dyn)',
    patch('[]'),
  ],
  [
    'spec.mutations[0].jsonPatch.expression: Invalid value: "[JSONPatch{opp: \\"add\\"}]": compilation failed: ERROR: <input>:1:15: expected type of field \'opp\' is \'\' but provided type is \'string\'\n | [JSONPatch{opp: "add"}]\n | ..............^',
    patch('[JSONPatch{opp: "add"}]'),
  ],
])('a policy is rejected with %s', async (cause, mutation) => {
  const { message } = await cluster.refused(bind([mutation]));
  expect(message).toBe(`MutatingAdmissionPolicy.${GROUP} "p" is invalid: ${cause}`);
});
