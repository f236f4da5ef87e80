import { describe, expect, it } from 'vitest';
import { attackSuite } from './support/attack-suite.ts';
import type { AttackResponse, AttackTarget, AttackTargetSource, AttackUser } from './support/attack-target.ts';

const GROUP = 'admissionregistration.k8s.io';
const ALL = `/apis/${GROUP}/v1`;
const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

const writing = [{ apiGroups: [GROUP], resources: ['*'], verbs: ['get', 'create', 'update', 'patch'] }];
const reading = (resource: string, verb: string, names?: string[]) => [
  { apiGroups: [''], resources: [resource], verbs: [verb], ...(names === undefined ? {} : { resourceNames: names }) },
];

interface PolicyKind {
  readonly kind: 'ValidatingAdmissionPolicy' | 'MutatingAdmissionPolicy';
  readonly policies: string;
  readonly bindings: string;
  readonly spec: object;
  readonly binding: object;
}

const matchConstraints = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
  // The policy matches nothing, so that it does not affect other attacks.
  namespaceSelector: { matchLabels: { attack: 'policies' } },
};
const KINDS: readonly PolicyKind[] = [
  {
    kind: 'ValidatingAdmissionPolicy',
    policies: 'validatingadmissionpolicies',
    bindings: 'validatingadmissionpolicybindings',
    spec: {
      matchConstraints,
      validations: [{ expression: 'false', messageExpression: 'string(params.data.password)' }],
    },
    binding: { validationActions: ['Deny'] },
  },
  {
    kind: 'MutatingAdmissionPolicy',
    policies: 'mutatingadmissionpolicies',
    bindings: 'mutatingadmissionpolicybindings',
    spec: {
      matchConstraints,
      reinvocationPolicy: 'Never',
      mutations: [
        {
          patchType: 'JSONPatch',
          jsonPatch: {
            expression: '[JSONPatch{op: "add", path: "/data/stolen", value: string(params.data.password)}]',
          },
        },
      ],
    },
    binding: {},
  },
];

const messageOf = ({ body }: AttackResponse) => (body as { message: string }).message;

/** Attacks by users who may write admission policies, but not read the objects that their policies would read. */
export function policiesAttacks(source: AttackTargetSource): void {
  attackSuite('policies', source, (target) => {
    describe.each(KINDS)('$kind', (kind) => {
      policyAttacks(target, kind);
      bindingAttacks(target, kind);
    });
  });
}

const objectOf = (kind: string, name: string, spec: object) => ({
  apiVersion: `${GROUP}/v1`,
  kind,
  metadata: { name },
  spec,
});

const paramKind = (kind: string, apiVersion = 'v1') => ({ paramKind: { apiVersion, kind } });

function policyAttacks(target: () => AttackTarget, { kind, policies, spec }: PolicyKind): void {
  const path = `${ALL}/${policies}`;
  const name = (what: string) => `${what}-${policies}`;
  const unreadable = (of: string) =>
    `must have "get" permission on all objects of the referenced paramKind (kind=${of}, apiVersion=v1)`;

  it('accepts no parameters that its author cannot read', async () => {
    const mallory = await target().user(name('policy'), {
      cluster: [...writing, ...reading('secrets', 'get', ['mine']), ...reading('configmaps', 'get')],
      namespaces: { default: reading('secrets', 'get') },
    });
    const body = (of: string) => objectOf(kind, name('policy'), { ...spec, ...paramKind(of) });
    const denied = async (method: string, at: string, options: Parameters<AttackUser['send']>[2]) => {
      const response = await mallory.send(method, at, options);
      expect(response.status).toBe(422);
      expect(messageOf(response)).toContain(
        `"${name('policy')}" is invalid: spec.paramKind: Forbidden: user &{${mallory.name}  [system:authenticated] map[authentication.kubernetes.io/credential-id:[X509SHA256=`,
      );
      expect(messageOf(response)).toContain(unreadable('Secret'));
    };
    await denied('POST', path, { body: body('Secret') });
    await denied('PATCH', `${path}/${name('policy')}?fieldManager=m`, { contentType: APPLY, body: body('Secret') });
    await mallory.must('POST', path, { body: body('ConfigMap') });
    const change = { spec: paramKind('Secret') };
    await denied('PATCH', `${path}/${name('policy')}`, { contentType: MERGE, body: change });
    await denied('PATCH', `${path}/${name('policy')}?dryRun=All`, { contentType: MERGE, body: change });
  });

  it('accepts no parameters of unknown kinds', async () => {
    const mallory = await target().user(name('unknown'), { cluster: [...writing, ...reading('configmaps', 'get')] });
    const unknown = { ...spec, ...paramKind('Nothing', 'attack.example/v1') };
    expect((await mallory.send('POST', path, { body: objectOf(kind, name('unknown'), unknown) })).status).toBe(422);
  });

  it('keeps parameters that another user set', async () => {
    const mallory = await target().user(name('kept'), { cluster: writing });
    const body = objectOf(kind, name('kept'), { ...spec, ...paramKind('Secret') });
    await target().admin.must('POST', path, { body });
    const labels = { contentType: MERGE, body: { metadata: { labels: { a: 'b' } } } };
    expect((await mallory.send('PATCH', `${path}/${name('kept')}`, labels)).status).toBe(200);
  });
}

function bindingAttacks(target: () => AttackTarget, { kind, policies, bindings, spec, binding }: PolicyKind): void {
  const path = `${ALL}/${bindings}`;
  const name = (what: string) => `${what}-${bindings}`;
  const ref = (what: object) => ({ paramRef: { parameterNotFoundAction: 'Deny', ...what } });
  const post = (user: AttackUser, as: string, policyName: string, content: object) =>
    user.send('POST', path, { body: objectOf(`${kind}Binding`, as, { policyName, ...binding, ...content }) });
  const policy = async (as: string) => {
    const body = objectOf(kind, as, { ...spec, ...paramKind('Secret') });
    await target().admin.must('POST', `${ALL}/${policies}`, { body });
  };

  it.each([
    ['another namespace', { name: 'password', namespace: 'kube-system' }],
    ['another name', { name: 'other', namespace: 'default' }],
    ['all namespaces', { name: 'password' }],
    ['whatever has a label', { selector: { matchLabels: { a: 'b' } }, namespace: 'default' }],
  ])('accepts no parameters of %s', async (what, reference) => {
    const as = name(what.replace(/\W/g, '-'));
    const mallory = await target().user(as, {
      cluster: writing,
      namespaces: { default: reading('secrets', 'get', ['password']) },
    });
    await policy(as);
    const response = await post(mallory, as, as, ref(reference));
    expect(response.status).toBe(422);
    expect(messageOf(response)).toContain(`"${as}" is invalid: spec.paramRef: Forbidden: user `);
    expect(messageOf(response)).toContain('permission on the object referenced by paramRef');
    expect((await post(mallory, as, as, ref({ name: 'password', namespace: 'default' }))).status).toBe(201);
    const change = { spec: ref({ name: null, namespace: null, ...reference }) };
    const patched = await mallory.send('PATCH', `${path}/${as}`, { contentType: MERGE, body: change });
    expect(patched.status).toBe(422);
  });

  it('accepts no parameters of a policy that does not exist yet', async () => {
    const as = name('early');
    const mallory = await target().user(as, { cluster: [...writing, ...reading('configmaps', 'get')] });
    const response = await post(mallory, as, 'to-come', ref({ name: 'password', namespace: 'default' }));
    expect(response.status).toBe(422);
    expect(messageOf(response)).toContain(
      'unable to get policy to-come to determine minimum required permissions and user &{',
    );
    expect(messageOf(response)).toContain('does not have "get" permission for all groups, versions and resources');
  });

  it('cannot be changed by users who cannot read its parameters', async () => {
    const as = name('touched');
    const mallory = await target().user(as, { cluster: writing });
    await policy(as);
    const made = await post(target().admin, as, as, ref({ name: 'password', namespace: 'default' }));
    expect(made.status).toBe(201);
    const labels = { contentType: MERGE, body: { metadata: { labels: { a: 'b' } } } };
    expect((await mallory.send('PATCH', `${path}/${as}`, labels)).status).toBe(422);
  });
}
