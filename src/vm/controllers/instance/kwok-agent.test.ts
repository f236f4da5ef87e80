import { expect, it } from 'vitest';
import type { Vmi } from '#api/kubevirt/resources';
import type { Pod } from '#platform/kube/kinds/pod';
import { kwokAgentActions } from './kwok-agent.ts';

const launcher = (name: string, nodeName: string, sockets: number, memory: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, uid: name, annotations: { 'vimana.io/size': JSON.stringify({ sockets, memory }) } },
  spec: { containers: [], nodeName },
  status: { phase: 'Running' },
});
const instance = (status: object, annotations: object = {}): Vmi =>
  ({
    metadata: { name: 'web', namespace: 'shop', uid: 'u', annotations },
    spec: { domain: { cpu: { sockets: 2 }, memory: { guest: '3Gi' }, devices: {} } },
    status: { phase: 'Running', nodeName: 'k1', ...status },
  }) as unknown as Vmi;

const said = (status: object, pods: readonly Pod[], annotations: object = {}) => {
  const [action] = kwokAgentActions(instance(status, annotations), pods[0] as Pod, pods, 0);
  return action?.do === 'report' ? action.status : undefined;
};

it('on KWOK nodes, a machine has the size of its pod, and reports that it has to migrate', () => {
  const small = launcher('p', 'k1', 1, '1Gi');
  const status = said({}, [small]);
  expect(status).toMatchObject({
    currentCPUTopology: { sockets: 1 },
    memory: { guestAtBoot: '1Gi', guestCurrent: '1Gi', guestRequested: '3Gi' },
  });
  const changes = (status?.conditions ?? []).filter(({ type }) => type.startsWith('Hot'));
  expect(changes.map(({ type, status: holds }) => `${type} ${holds}`)).toEqual([
    'HotVCPUChange True',
    'HotMemoryChange True',
  ]);
  const moving = { ...status, migrationState: { migrationUid: 'm', targetPod: 't', targetNode: 'k2' } };
  const after = said(moving, [small, launcher('t', 'k2', 2, '3Gi')]);
  expect(after).toMatchObject({
    nodeName: 'k2',
    currentCPUTopology: { sockets: 2 },
    memory: { guestAtBoot: '1Gi', guestCurrent: '3Gi', guestRequested: '3Gi' },
  });
  expect(after?.conditions?.some(({ type }) => type.startsWith('Hot'))).toBe(false);
});

it('on KWOK nodes, a paused machine is not ready', () => {
  const pods = [launcher('p', 'k1', 2, '3Gi')];
  const conditions = (annotations: object) =>
    (said({}, pods, annotations)?.conditions ?? []).map(({ type, status, reason }) => [type, status, reason]);
  const paused = conditions({ 'vimana.io/paused': 'true' });
  expect(paused).toContainEqual(['Ready', 'False', 'PausedByUser']);
  expect(paused).toContainEqual(['Paused', 'True', 'PausedByUser']);
  expect(conditions({})).toContainEqual(['Ready', 'True', undefined]);
});
