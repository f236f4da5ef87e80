import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { virtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import { type NewDefinition, type Plane, startPlane } from '#control-plane/apiserver/apiextensions/plane.fixture';
import { crdOf } from '#platform/schema/crd';
import { vmPlugins } from './vm-plugins.ts';

const PODS = '/api/v1/namespaces/default/pods';
const INSTANCES = '/apis/kubevirt.io/v1/namespaces/default/virtualmachineinstances';
const merge = 'application/merge-patch+json';

let plane: Plane;
let count = 0;

beforeAll(async () => {
  plane = await startPlane({ plugins: vmPlugins() });
  await plane.ask('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
});
afterAll(async () => {
  await plane.plane.stop();
});

async function newPod(metadata: object): Promise<string> {
  const name = `p${++count}`;
  const spec = { containers: [{ name: 'c', image: 'i' }], nodeName: 'n1' };
  const created = await plane.ask('POST', PODS, { metadata: { name, ...metadata }, spec });
  expect(created.code).toBe(201);
  return name;
}

describe('the eviction of a launcher', () => {
  let uid = '';
  beforeAll(async () => {
    await plane.define(crdOf(virtualMachineInstance) as unknown as NewDefinition);
    const header = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance' };
    const spec = { domain: { memory: { guest: '1Gi' }, devices: {} }, evictionStrategy: 'LiveMigrate' };
    const created = await plane.ask('POST', INSTANCES, { ...header, metadata: { name: 'web' }, spec });
    expect(created.code, JSON.stringify(created.body)).toBe(201);
    uid = (created.body['metadata'] as { uid: string }).uid;
  });

  const status = async (change: object) =>
    await plane.ask('PATCH', `${INSTANCES}/web/status`, { status: change }, merge);
  const launcher = async () => {
    const reference = {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstance',
      name: 'web',
      uid,
      controller: true,
    };
    return await newPod({ labels: { 'kubevirt.io': 'virt-launcher' }, ownerReferences: [reference] });
  };
  const evict = async (name: string, query = '', more: object = {}) =>
    (await plane.ask('POST', `${PODS}/${name}/eviction${query}`, { metadata: { name }, ...more })).body;
  const marked = async () =>
    ((await plane.ask('GET', `${INSTANCES}/web`)).body['status'] as { evacuationNodeName?: string }).evacuationNodeName;

  it('marks a VMI that can migrate, and is rejected until it has migrated', async () => {
    const name = await launcher();
    await status({ phase: 'Running', nodeName: 'n1', conditions: [] });
    expect(await evict(name)).toMatchObject({
      code: 429,
      message: 'VMI web is configured with an eviction strategy but is not live-migratable',
    });
    await status({ conditions: [{ type: 'LiveMigratable', status: 'True' }] });
    const triggered = 'Eviction triggered evacuation of VMI "default/web"';
    const rejected = { code: 429, reason: 'TooManyRequests', message: triggered };
    expect(await evict(name, '?dryRun=All')).toMatchObject(rejected);
    expect(await evict(name, '', { deleteOptions: { dryRun: ['All'] } })).toMatchObject(rejected);
    expect(await marked()).toBeUndefined();
    expect(await evict(name)).toMatchObject(rejected);
    expect(await marked()).toBe('n1');
    const again = await evict(name);
    expect(again).toMatchObject({ code: 429, message: `Evacuation in progress: ${triggered}` });
    expect(again).not.toHaveProperty('details');
    const pod = await plane.ask('GET', `${PODS}/${name}`);
    expect(pod.body['metadata']).not.toHaveProperty('deletionTimestamp');
  });

  it('is accepted once the VMI has ended', async () => {
    const name = await launcher();
    await status({ phase: 'Succeeded' });
    expect(await evict(name)).toMatchObject({ status: 'Success' });
  });
});
