import { beforeEach, describe, expect, test } from 'vitest';
import { AUTHENTICATED } from '../../access/user.ts';
import { type Cluster, testCluster } from '../chain.fixture.ts';

const GROUP = 'admissionregistration.k8s.io';
const RULE = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] };

let cluster: Cluster;
beforeEach(async () => {
  cluster = await testCluster();
});

async function bind(spec: object, binding: object = {}): Promise<void> {
  await cluster.create(`validatingadmissionpolicies.${GROUP}`, {
    metadata: { name: 'p' },
    spec: { matchConstraints: { resourceRules: [RULE] }, ...spec },
  });
  await cluster.create(`validatingadmissionpolicybindings.${GROUP}`, {
    metadata: { name: 'b' },
    spec: { policyName: 'p', validationActions: ['Deny'], ...binding },
  });
}

const create = (object: object = {}) => cluster.create('configmaps/x', { metadata: { name: 'c' }, ...object });
const WHO = "ValidatingAdmissionPolicy 'p' with binding 'b'";

describe('a failed validation', () => {
  test.each<[text: string, code: number, reason: string, validation: object]>([
    ['failed expression: false', 422, 'Invalid', {}],
    ['my message', 403, 'Forbidden', { message: 'my message', reason: 'Forbidden' }],
    ['failed expression: false', 413, 'RequestEntityTooLarge', { reason: 'RequestEntityTooLarge' }],
    ['dyn c', 422, 'Invalid', { messageExpression: '"dyn " + string(object.metadata.name)' }],
    ['failed expression: false', 422, 'Invalid', { messageExpression: 'string(object.spec.x)' }],
    ['stated', 422, 'Invalid', { message: 'stated', messageExpression: '"two\\nlines"' }],
  ])('is reported as %j with %i %s', async (text, code, reason, validation) => {
    await bind({
      validations: [
        { expression: 'false', ...validation },
        { expression: 'false', message: 'second' },
      ],
    });
    const message = `${WHO} denied request: ${text}`;
    expect(await cluster.refused(create())).toMatchObject({
      code,
      reason,
      message: `configmaps "c" is forbidden: ${message}`,
      details: { name: 'c', kind: 'configmaps', causes: [{ message }] },
    });
  });

  test('only warns if its binding has the action Warn', async () => {
    await bind(
      { validations: [{ expression: 'false', message: 'my message' }] },
      { validationActions: ['Warn', 'Audit'] },
    );
    await create();
    expect(cluster.warnings).toEqual([`Validation failed for ${WHO}: my message`]);
  });

  test('is not reported to the client if its action is Audit', async () => {
    await bind({ validations: [{ expression: 'false' }] }, { validationActions: ['Audit'] });
    await create();
    expect(cluster.warnings).toEqual([]);
  });

  test('rejects a deletion, and names the object', async () => {
    await create();
    await bind({ validations: [{ expression: 'oldObject == null', message: 'stays' }] });
    expect((await cluster.refused(cluster.delete('configmaps/x/c'))).message).toBe(
      `configmaps "c" is forbidden: ${WHO} denied request: stays`,
    );
  });
});

describe('a validation that cannot be evaluated', () => {
  const broken = { validations: [{ expression: 'object.spec.x == 1' }] };
  const problem = "expression 'object.spec.x == 1' resulted in error: no such key: spec";

  test('rejects the request, or warns', async () => {
    await bind(broken);
    expect((await cluster.refused(create())).message).toBe(
      `configmaps "c" is forbidden: ${WHO} denied request: ${problem}`,
    );
    await cluster.patch(`validatingadmissionpolicybindings.${GROUP}/b`, { spec: { validationActions: ['Warn'] } });
    await create();
    expect(cluster.warnings).toEqual([`Validation failed for ${WHO}: ${problem}`]);
  });

  test('is ignored if the failure policy is Ignore', async () => {
    await bind({ ...broken, failurePolicy: 'Ignore' });
    await expect(create()).resolves.toBeDefined();
  });

  test('is reported with the variable that caused it', async () => {
    await bind({
      variables: [{ name: 'a', expression: 'object.spec.x' }],
      validations: [{ expression: 'variables.a == "zz"' }],
    });
    expect((await cluster.refused(create())).message).toContain(
      'expression \'variables.a == "zz"\' resulted in error: composited variable "a" fails to evaluate: no such key: spec',
    );
  });
});

test('a variable may refer to previous ones', async () => {
  await bind({
    variables: [
      { name: 'a', expression: 'object.metadata.name' },
      { name: 'b', expression: 'string(variables.a) + "x"' },
    ],
    validations: [{ expression: 'variables.b == "zz"', messageExpression: '"b is " + variables.b' }],
  });
  expect((await cluster.refused(create())).message).toContain('denied request: b is cx');
});

test('expressions can use the namespace, the request and the authorizer', async () => {
  const expression =
    'namespaceObject.metadata.name == "x" && request.namespace == "x" && authorizer.requestResource.check("create").allowed() == (request.userInfo.username == "admin")';
  await bind({ validations: [{ expression }] });
  await expect(create()).resolves.toBeDefined();
  await expect(
    cluster.create('configmaps/x', { metadata: { name: 'd' } }, { user: { name: 'u', groups: [AUTHENTICATED] } }),
  ).resolves.toBeDefined();
});

describe('whether a policy denies a request', () => {
  const never = [{ expression: 'false' }];

  test.each<[denied: boolean, policy: object, binding: object]>([
    [true, {}, {}],
    [false, { matchConditions: [{ name: 'm', expression: 'false' }] }, {}],
    [true, { matchConditions: [{ name: 'm', expression: 'object.spec.x == 1' }] }, {}],
    [false, { matchConditions: [{ name: 'm', expression: 'object.spec.x == 1' }], failurePolicy: 'Ignore' }, {}],
    [false, { matchConstraints: { resourceRules: [{ ...RULE, resources: ['secrets'] }] } }, {}],
    [false, { matchConstraints: { resourceRules: [RULE], excludeResourceRules: [RULE] } }, {}],
    [false, { matchConstraints: { resourceRules: [{ ...RULE, resourceNames: ['other'] }] } }, {}],
    [true, {}, { matchResources: { namespaceSelector: { matchLabels: { team: 'a' } } } }],
    [false, {}, { matchResources: { namespaceSelector: { matchLabels: { team: 'b' } } } }],
    [false, {}, { matchResources: { objectSelector: { matchLabels: { z: '1' } } } }],
    [false, {}, { matchResources: { resourceRules: [{ ...RULE, operations: ['UPDATE'] }] } }],
    [false, {}, { policyName: 'another' }],
  ])('%s: %j bound by %j', async (denied, policy, binding) => {
    await cluster.patch('namespaces/x', { metadata: { labels: { team: 'a' } } });
    await bind({ validations: never, ...policy }, binding);
    if (denied) expect((await cluster.refused(create())).message).toContain('denied request');
    else await expect(create()).resolves.toBeDefined();
  });

  test('is always false for the objects that configure admission', async () => {
    const everything = { apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['*'] };
    await bind({ validations: never, matchConstraints: { resourceRules: [everything] } });
    await cluster.delete(`validatingadmissionpolicybindings.${GROUP}/b`);
    await expect(create()).resolves.toBeDefined();
  });
});

describe('parameters', () => {
  const policy = {
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    matchConditions: [{ name: 'm', expression: 'object.metadata.name == "c"' }],
    validations: [
      { expression: 'params.data.x == "1"', messageExpression: '"not by " + string(params.metadata.name)' },
    ],
  };
  const param = (name: string, x: string) =>
    cluster.create('configmaps/x', { metadata: { name, labels: { q: 'r' } }, data: { x } });
  const message = async () => (await cluster.refused(create())).message;
  const named = { name: 'par', namespace: 'x', parameterNotFoundAction: 'Deny' };

  test('are the object that the binding names', async () => {
    await param('par', '2');
    await bind(policy, { paramRef: named });
    expect(await message()).toContain('denied request: not by par');
    await cluster.patch('configmaps/x/par', { data: { x: '1' } });
    await expect(create()).resolves.toBeDefined();
  });

  test('are all objects that a selector matches in the namespace of the request', async () => {
    await param('one', '1');
    await param('two', '2');
    await bind(policy, { paramRef: { selector: { matchLabels: { q: 'r' } }, parameterNotFoundAction: 'Deny' } });
    expect(await message()).toContain('denied request: not by two');
  });

  test('that are missing deny the request, or skip the binding', async () => {
    await bind(policy, { paramRef: named });
    expect(await message()).toBe(
      `configmaps "c" is forbidden: ${WHO} denied request: failed to configure binding: no params found for policy binding with \`Deny\` parameterNotFoundAction`,
    );
    await cluster.patch(`validatingadmissionpolicybindings.${GROUP}/b`, {
      spec: { paramRef: { parameterNotFoundAction: 'Allow' } },
    });
    await expect(create()).resolves.toBeDefined();
  });

  test('of a kind that is not served make the policy fail', async () => {
    await bind(
      { ...policy, paramKind: { apiVersion: 'foo.example/v1', kind: 'Bar' } },
      { paramRef: { name: 'x', parameterNotFoundAction: 'Deny' } },
    );
    expect(await message()).toBe(
      "configmaps \"c\" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'foo.example/v1, Kind=Bar'",
    );
  });
});

describe('a policy is rejected with', () => {
  test.each<[cause: string, spec: object]>([
    [
      "spec.validations[0].expression: Invalid value: \"foo\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')\n | foo\n | ^",
      { validations: [{ expression: 'foo' }] },
    ],
    [
      'spec.validations[0].messageExpression: Invalid value: "object.spec.x": must evaluate to string but got dyn',
      { validations: [{ expression: 'false', messageExpression: 'object.spec.x' }] },
    ],
    [
      "spec.validations[0].expression: Invalid value: \"variables.a\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')\n | variables.a\n | ^",
      { validations: [{ expression: 'variables.a' }] },
    ],
    [
      'spec.matchConditions[0].expression: Invalid value: "1": must evaluate to bool but got int',
      { validations: [{ expression: 'true' }], matchConditions: [{ name: 'm', expression: '1' }] },
    ],
    [
      'spec.auditAnnotations[0].valueExpression: Invalid value: "object.metadata.name": must evaluate to one of [string null_type] but got dyn',
      { auditAnnotations: [{ key: 'k', valueExpression: 'object.metadata.name' }] },
    ],
  ])('%s', async (cause, spec) => {
    const { message } = await cluster.refused(bind(spec));
    expect(message).toBe(`ValidatingAdmissionPolicy.${GROUP} "p" is invalid: ${cause}`);
  });
});
