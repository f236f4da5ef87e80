import { expect, it } from 'vitest';
import { vmOperation } from '#api/hypersdk/vm-operation';
import { crdOf } from '#platform/schema/crd';
import { statusPolicy } from '#programs/install/status-policy';
import { waitUntil } from '#testing/wait';
import { attackSuite } from './support/attack-suite.ts';
import type { AttackTarget, AttackTargetSource } from './support/attack-target.ts';

const MERGE = 'application/merge-patch+json';
const OPERATIONS = '/apis/hypersdk.io/v1alpha1/namespaces/default/vmoperations';
const STATUS = { contentType: MERGE, body: { status: { phase: 'Running' } } };

/**
 * The policy that allows writing a status only with the verb operate. It must have the same effect on ours and on
 * kube-apiserver.
 */
export function statusVerbAttacks(source: AttackTargetSource): void {
  attackSuite('the verb to write a status', source, (target) => {
    it('denies it to a user who may only update and patch, and allows it with the verb', async () => {
      await install(target());
      const rule = (resource: string, ...verbs: string[]) => ({
        apiGroups: [vmOperation.group],
        resources: [resource],
        verbs,
      });
      const usual = [rule('vmoperations', 'create'), rule('vmoperations/status', 'update', 'patch')];
      const here = (...rules: (typeof usual)[number][]) => ({ namespaces: { default: rules } });
      const mallory = await target().user('mallory', here(...usual));
      const elsewhere = await target().user('elsewhere', here(...usual, rule('vmoperations', 'operate')));
      const agent = await target().user('agent', here(...usual, rule('vmoperations/status', 'operate')));
      await waitUntil(async () => (await mallory.send('PATCH', `${OPERATIONS}/op/status`, STATUS)).status === 403);
      const refused = await mallory.send('PATCH', `${OPERATIONS}/op/status`, STATUS);
      expect(refused.body).toMatchObject({
        reason: 'Forbidden',
        message: expect.stringContaining('writing it requires the verb operate on vmoperations/status') as string,
      });
      expect((await elsewhere.send('PATCH', `${OPERATIONS}/op/status`, STATUS)).status).toBe(403);
      expect((await agent.send('PATCH', `${OPERATIONS}/op/status`, STATUS)).status).toBe(200);
    });
  });
}

async function install({ admin }: AttackTarget): Promise<void> {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await admin.must('POST', definitions, { body: crdOf(vmOperation) });
  const [policy, binding] = statusPolicy('attack', vmOperation.group, [vmOperation.plural]);
  const registrations = '/apis/admissionregistration.k8s.io/v1';
  await admin.must('POST', `${registrations}/validatingadmissionpolicies`, { body: policy });
  await admin.must('POST', `${registrations}/validatingadmissionpolicybindings`, { body: binding });
  const body = {
    apiVersion: vmOperation.apiVersion,
    kind: vmOperation.kind,
    metadata: { name: 'op' },
    spec: { vmRef: { name: 'a' }, operation: 'stop' },
  };
  await waitUntil(async () => (await admin.send('POST', OPERATIONS, { body })).status === 201);
}
