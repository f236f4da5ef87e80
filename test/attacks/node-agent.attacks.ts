import { expect, it } from 'vitest';
import { KINDS } from '#api/kinds';
import { crdOf } from '#platform/schema/crd';
import { AGENT_RULES, OWN_NODE_POLICY } from '#vm/node/own-node-policy';
import { attackSuite } from './support/attack-suite.ts';
import type { AttackResponse, AttackTarget, AttackTargetSource } from './support/attack-target.ts';

const AGENT = 'system:serviceaccount:vimana-system:agent-node';
const RBAC = 'rbac.authorization.k8s.io';
const POLICIES = '/apis/admissionregistration.k8s.io/v1';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const PODS = '/api/v1/namespaces/default/pods';
const INSTANCES = '/apis/kubevirt.io/v1/namespaces/default/virtualmachineinstances';
const MERGE = 'application/merge-patch+json';

/**
 * Attacks by the agent of one node on other nodes. The restrictions are those that the chart installs for node agents.
 */
export function nodeAgentAttacks(source: AttackTargetSource): void {
  attackSuite('node agents', source, (target) => {
    it('write only their own node', async () => {
      await prepare(target());
      const own = agentOf(target(), 'own');
      const update = (path: string, body: object) => own('PATCH', path, { contentType: MERGE, body });
      const status = async (sent: Promise<AttackResponse>) => (await sent).status;

      // A policy takes effect shortly after it was written.
      const lease = { spec: { holderIdentity: 'own' } };
      while ((await status(update(`${LEASES}/other`, lease))) !== 403) await nextTurn();
      expect(await status(update(`${LEASES}/own`, lease))).toBe(200);
      expect(await status(own('POST', LEASES, { body: named('Lease', 'coordination.k8s.io/v1', 'third') }))).toBe(403);
      const elsewhere = LEASES.replace('kube-node-lease', 'default');
      expect(await status(own('POST', elsewhere, { body: named('Lease', 'coordination.k8s.io/v1', 'own') }))).toBe(403);

      expect(await status(own('DELETE', `${PODS}/on-other?gracePeriodSeconds=0`))).toBe(403);
      expect(await status(own('DELETE', `${PODS}/on-own?gracePeriodSeconds=0`))).toBe(200);
      expect(await status(own('DELETE', '/api/v1/nodes/other'))).toBe(403);
      expect(await status(update('/api/v1/nodes/other', { metadata: { labels: { a: 'b' } } }))).toBe(403);

      const give = (name: string, nodeName: string) => update(`${INSTANCES}/${name}/status`, { status: { nodeName } });
      expect(await status(update(`${INSTANCES}/other/status`, { status: { phase: 'Failed' } }))).toBe(403);
      expect(await status(update(`${INSTANCES}/other`, { metadata: { labels: { a: 'b' } } }))).toBe(403);
      expect(await status(give('other', 'own'))).toBe(403);
      expect(await status(give('own', 'other'))).toBe(403);
      expect(await status(give('starting', 'other'))).toBe(403);
      expect(await status(give('starting', 'own'))).toBe(200);
      expect(await status(update(`${INSTANCES}/arriving/status`, { status: { phase: 'Running' } }))).toBe(200);
      expect(await status(give('leaving', 'other'))).toBe(200);
    });

    it('write nothing with a token that is not bound to a node', async () => {
      await prepare(target());
      const nowhere = agentOf(target());
      const body = { spec: { holderIdentity: 'nobody' } };
      while ((await nowhere('PATCH', `${LEASES}/own`, { contentType: MERGE, body })).status !== 403) await nextTurn();
    });
  });
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const named = (kind: string, apiVersion: string, name: string) => ({ apiVersion, kind, metadata: { name } });

/** Sends requests as the ServiceAccount of node agents, with the claims of a token of a pod on that node. */
function agentOf({ admin }: AttackTarget, node?: string) {
  const headers = {
    'impersonate-user': AGENT,
    'impersonate-group': 'system:authenticated',
    ...(node === undefined ? {} : { 'impersonate-extra-authentication.kubernetes.io%2fnode-name': node }),
  };
  return (method: string, path: string, options: { body?: unknown; contentType?: string } = {}) =>
    admin.send(method, path, { ...options, headers });
}

let prepared: AttackTarget | undefined;

/** Creates two nodes with their pods, and the policy that restricts node agents. */
async function prepare(target: AttackTarget): Promise<void> {
  if (prepared === target) return;
  prepared = target;
  const { admin } = target;
  const kind = KINDS.find(({ kind: name }) => name === 'VirtualMachineInstance');
  if (kind !== undefined) {
    await admin.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: crdOf(kind) });
  }
  while ((await admin.send('GET', INSTANCES)).status !== 200) await nextTurn();
  const user = [{ kind: 'User', apiGroup: RBAC, name: AGENT }];
  const deletes = { apiGroups: [''], resources: ['nodes'], verbs: ['patch', 'delete'] };
  const created: [string, object][] = [
    [
      `/apis/${RBAC}/v1/clusterroles`,
      { ...named('ClusterRole', `${RBAC}/v1`, 'agent'), rules: [...AGENT_RULES, deletes] },
    ],
    [
      `/apis/${RBAC}/v1/clusterrolebindings`,
      {
        ...named('ClusterRoleBinding', `${RBAC}/v1`, 'agent'),
        roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'agent' },
        subjects: user,
      },
    ],
    ['/api/v1/namespaces', named('Namespace', 'v1', 'kube-node-lease')],
    ['/api/v1/namespaces/default/serviceaccounts', named('ServiceAccount', 'v1', 'default')],
    ...['own', 'other'].flatMap((node): [string, object][] => [
      ['/api/v1/nodes', named('Node', 'v1', node)],
      [LEASES, named('Lease', 'coordination.k8s.io/v1', node)],
      [
        PODS,
        { ...named('Pod', 'v1', `on-${node}`), spec: { nodeName: node, containers: [{ name: 'c', image: 'i' }] } },
      ],
    ]),
    [
      `${POLICIES}/validatingadmissionpolicies`,
      {
        ...named('ValidatingAdmissionPolicy', 'admissionregistration.k8s.io/v1', 'agent-node'),
        spec: {
          matchConditions: [{ name: 'is-agent', expression: `request.userInfo.username == '${AGENT}'` }],
          ...OWN_NODE_POLICY,
        },
      },
    ],
    [
      `${POLICIES}/validatingadmissionpolicybindings`,
      {
        ...named('ValidatingAdmissionPolicyBinding', 'admissionregistration.k8s.io/v1', 'agent-node'),
        spec: { policyName: 'agent-node', validationActions: ['Deny'] },
      },
    ],
  ];
  for (const [path, body] of created) {
    const { status, body: answer } = await admin.send('POST', path, { body });
    if (status !== 201 && status !== 409) throw new Error(`POST ${path}: ${JSON.stringify(answer)}`);
  }
  const migrationState = { migrationUid: 'm', sourceNode: 'other', targetNode: 'own' };
  const back = { migrationUid: 'm', sourceNode: 'own', targetNode: 'other' };
  const statuses: Record<string, object> = {
    own: { nodeName: 'own' },
    other: { nodeName: 'other' },
    starting: { phase: 'Scheduling' },
    arriving: { nodeName: 'other', migrationState },
    leaving: { nodeName: 'own', migrationState: back },
  };
  for (const [name, status] of Object.entries(statuses)) {
    const spec = { domain: { devices: {}, memory: { guest: '64Mi' } } };
    const body = { ...named('VirtualMachineInstance', 'kubevirt.io/v1', name), spec };
    await admin.must('POST', INSTANCES, { body });
    await admin.must('PATCH', `${INSTANCES}/${name}/status`, { contentType: MERGE, body: { status } });
  }
}
