import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { VMIMS, VMIS, VMS } from '#api/kubevirt/resources';
import type { Client } from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import { kubectlFor } from '#testing/kubectl';
import { hasKubectl } from '#testing/programs';
import { type SubresourcePlane, startSubresourcePlane } from '#testing/subresource-harness';
import { template } from '#testing/vm-harness';

const namespace = 'default';
const inDefault = { namespace };
let plane: SubresourcePlane;
let client: Client;
let count = 0;

beforeAll(async () => {
  plane = await startSubresourcePlane();
  client = plane.plane.client({ name: 'edit', groups: ['system:authenticated'] }, 'test');
});
afterAll(async () => await plane.plane.stop());
beforeEach(() => {
  plane.told.length = 0;
  plane.beforePatch = async () => {};
});

async function make(spec: object, phase?: string, status: object = {}): Promise<string> {
  const name = `vm${++count}`;
  await plane.client.create(VMS, { metadata: { name, namespace }, spec: { template, ...spec } });
  if (phase === undefined) return name;
  await plane.client.create(VMIS, { metadata: { name, namespace }, spec: template.spec });
  await report(name, { phase, ...status });
  return name;
}

async function report(name: string, status: object): Promise<void> {
  const options = { namespace, subresource: 'status' };
  await plane.client.patch(VMIS, name, { type: 'merge', body: { status } }, options);
}

const pathOf = (what: string, version = 'v1') =>
  `/apis/subresources.kubevirt.io/${version}/namespaces/${namespace}/${what}`;

/** Sends a PUT and returns its status and message. */
async function put(what: string, body: object = {}, by = client, version = 'v1'): Promise<string> {
  try {
    return String((await by.request({ method: 'PUT', path: pathOf(what, version), body })).status);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    return `${error.code} ${error.message}`;
  }
}

const vm = async (name: string) => await plane.client.get(VMS, name, inDefault);
const vmi = async (name: string) => await plane.client.get(VMIS, name, inDefault);

describe('subresources.kubevirt.io', () => {
  it('starts a VM by its spec, with its own field manager', async () => {
    const name = await make({ running: false });
    expect(await put(`virtualmachines/${name}/start`, { dryRun: ['All'] })).toBe('202');
    expect((await vm(name)).spec.running).toBe(false);
    expect(plane.told).toEqual([]);
    expect(await put(`virtualmachines/${name}/start`)).toBe('202');
    const { spec, metadata } = await vm(name);
    expect(spec.running).toBe(true);
    expect(metadata.managedFields?.find(({ manager }) => manager === 'vimana-subresource')).toMatchObject({
      fieldsV1: { 'f:spec': { 'f:running': {} } },
    });
    expect(plane.told).toEqual([`${name} Normal StartRequested: edit requested start`]);
    expect(await put(`virtualmachines/${name}/start`)).toBe(
      `409 Operation cannot be fulfilled on virtualmachine.kubevirt.io "${name}": Always does not support manual start requests`,
    );
  });

  it('adds requests to the status, and clears a failed start', async () => {
    const name = await make({ runStrategy: 'Manual' });
    const failed = { startFailure: { consecutiveFailCount: 3 }, printableStatus: 'Stopped' };
    const options = { namespace, subresource: 'status' };
    await plane.client.patch(VMS, name, { type: 'merge', body: { status: failed } }, options);
    expect(await put(`virtualmachines/${name}/start`, { paused: true }, client, 'v1alpha3')).toBe('202');
    const { status, spec } = await vm(name);
    expect(spec.runStrategy).toBe('Manual');
    expect(status).toEqual({
      printableStatus: 'Stopped',
      stateChangeRequests: [{ action: 'Start', data: { paused: 'true' } }],
    });
    expect(await put(`virtualmachines/${name}/start`)).toContain('stop/start already underway');
  });

  it('starts a paused VM by spec and status', async () => {
    const name = await make({ running: false });
    expect(await put(`virtualmachines/${name}/start`, { paused: true })).toBe('202');
    expect(await vm(name)).toMatchObject({
      spec: { running: true },
      status: { stateChangeRequests: [{ action: 'Start', data: { paused: 'true' } }] },
    });
  });

  it('stops with a shorter grace period', async () => {
    const name = await make({ running: true }, 'Running');
    expect(await put(`virtualmachines/${name}/stop`, { gracePeriod: 3 })).toBe('202');
    expect((await vm(name)).spec.running).toBe(false);
    expect((await vmi(name)).spec.terminationGracePeriodSeconds).toBe(3);
  });

  it('restarts immediately if requested', async () => {
    const name = await make({ running: true }, 'Running');
    const { uid } = (await vmi(name)).metadata;
    expect(await put(`virtualmachines/${name}/restart`, { gracePeriodSeconds: 0 })).toBe('202');
    expect((await vm(name)).status?.stateChangeRequests).toEqual([{ action: 'Stop', uid }, { action: 'Start' }]);
    expect((await vmi(name)).spec.terminationGracePeriodSeconds).toBe(0);
  });

  it('creates a migration', async () => {
    const name = await make({ running: true }, 'Running');
    const selector = { zone: 'a' };
    expect(await put(`virtualmachines/${name}/migrate`, { addedNodeSelector: selector })).toBe('202');
    const { items } = await plane.client.list(VMIMS, inDefault);
    expect(items.filter(({ spec }) => spec.vmiName === name)).toMatchObject([
      {
        metadata: { name: expect.stringMatching(/^kubevirt-migrate-vm-[a-z0-9]{5}$/) },
        spec: { vmiName: name, addedNodeSelector: selector },
      },
    ]);
    expect(await put(`virtualmachines/${name}/migrate`)).toContain('409 ');
    const stuck = await make({ running: true }, 'Running', {
      conditions: [{ type: 'LiveMigratable', status: 'False' }],
    });
    expect(await put(`virtualmachines/${stuck}/migrate`)).toMatch(/^422 .*Cannot migrate VMI/);
    expect(await put(`virtualmachines/${await make({ running: true })}/migrate`)).toMatch(
      /^404 virtualmachineinstance/,
    );
  });

  it('sends requests to the node agent by annotations', async () => {
    const name = await make({ running: true }, 'Running');
    expect(await put(`virtualmachineinstances/${name}/pause`, { dryRun: ['All'] })).toBe('202');
    expect((await vmi(name)).metadata.annotations).toBeUndefined();
    expect(await put(`virtualmachineinstances/${name}/pause`)).toBe('202');
    expect((await vmi(name)).metadata.annotations).toEqual({ 'vimana.io/paused': 'true' });
    expect(await put(`virtualmachineinstances/${name}/pause`)).toContain('409 ');
    expect(await put(`virtualmachineinstances/${name}/unpause`)).toBe('202');
    expect(await put(`virtualmachineinstances/${name}/reset`)).toBe('202');
    expect(await put(`virtualmachineinstances/${name}/softreboot`)).toBe('202');
    const { annotations = {} } = (await vmi(name)).metadata;
    expect(annotations).toMatchObject({ 'vimana.io/paused': 'false' });
    expect(annotations['vimana.io/reset']).toMatch(/^[0-9a-f-]{36}$/);
    expect(annotations['vimana.io/soft-reboot']).not.toBe(annotations['vimana.io/reset']);
  });

  it('reads and decides again after a conflict', async () => {
    const name = await make({ runStrategy: 'Manual' });
    let raced = 0;
    plane.beforePatch = async (kind) => {
      if (kind !== 'VirtualMachine' || raced++ > 0) return;
      const body = { status: { stateChangeRequests: [{ action: 'Start' }] } };
      await plane.client.patch(VMS, name, { type: 'merge', body }, { namespace, subresource: 'status' });
    };
    expect(await put(`virtualmachines/${name}/start`)).toContain('stop/start already underway');
    const other = await make({ running: false });
    raced = 0;
    plane.beforePatch = async (kind) => {
      if (kind !== 'VirtualMachine' || raced++ > 0) return;
      const body = { metadata: { labels: { a: 'b' } } };
      await plane.client.patch(VMS, other, { type: 'merge', body }, inDefault);
    };
    expect(await put(`virtualmachines/${other}/start`)).toBe('202');
    expect((await vm(other)).spec.running).toBe(true);
  });

  it('hides conflicts from users, and requests a retry only if they do not end', async () => {
    const name = await make({ running: false });
    const paused = await make({ running: true }, 'Running');
    let races = 12;
    let left = races;
    plane.beforePatch = async (kind) => {
      if (left-- <= 0) return;
      const change = { type: 'merge', body: { metadata: { labels: { write: String(left) } } } } as const;
      if (kind === 'VirtualMachine') await plane.client.patch(VMS, name, change, inDefault);
      else await plane.client.patch(VMIS, paused, change, inDefault);
    };
    expect(await put(`virtualmachines/${name}/start`, { paused: true })).toBe('202');
    expect(await vm(name)).toMatchObject({ spec: { running: true }, status: { stateChangeRequests: [{}] } });
    left = races;
    expect(await put(`virtualmachineinstances/${paused}/pause`)).toBe('202');
    left = races = 1000;
    expect(await put(`virtualmachineinstances/${paused}/unpause`)).toBe(
      '500 The unpause operation against virtualmachineinstances.subresources.kubevirt.io could not be completed at this time, please try again.',
    );
    expect(races - left).toBeLessThan(100);
  });

  it('completes its writes despite concurrent writes of others', async () => {
    const name = await make({ running: false });
    let patches = 0;
    plane.beforePatch = async () => {
      // The first write is the request. The second, of the spec, must not be treated as a late one.
      if (++patches === 2) throw new KubeError(409, 'Conflict', 'the object has been modified');
    };
    expect(await put(`virtualmachines/${name}/start`, { paused: true })).toBe('202');
    expect(await vm(name)).toMatchObject({ spec: { running: true }, status: { stateChangeRequests: [{}] } });
  });

  it.each([
    ['virtualmachines/none/start', '404 virtualmachine.kubevirt.io "none" not found'],
    ['virtualmachines/none/migrate', '404 virtualmachine.kubevirt.io "none" not found'],
    ['virtualmachineinstances/none/pause', '404 virtualmachineinstance.kubevirt.io "none" not found'],
    ['virtualmachineinstances/none/addvolume', '501 virtualmachineinstances/addvolume is not supported yet'],
    ['virtualmachines/none/removevolume', '501 virtualmachines/removevolume is not supported yet'],
    ['virtualmachines/none/explode', '404 the server could not find the requested resource'],
    ['virtualmachineinstances/none/console', '405 the server does not allow this method on the requested resource'],
  ])('responds to %s with %s', async (what, response) => {
    expect(await put(what, {}, plane.client)).toBe(response);
  });

  it('returns a VM with all defaults, and the reports of its guest', async () => {
    const os = { id: 'fedora' };
    const connected = { conditions: [{ type: 'AgentConnected', status: 'True' }], guestOSInfo: os };
    const name = await make({ running: true }, 'Running', connected);
    const get = async (what: string) => (await client.request({ method: 'GET', path: pathOf(what) })).body;
    expect(await get(`virtualmachines/${name}/expand-spec`)).toEqual(await vm(name));
    expect(await get(`virtualmachineinstances/${name}/guestosinfo`)).toMatchObject({ os });
    await expect(get(`virtualmachineinstances/${name}/console`)).rejects.toMatchObject({ code: 501 });
  });

  it('requires its own permission, whatever else a user may write', async () => {
    const name = await make({ running: false });
    const as = (user: string) => plane.plane.client({ name: user, groups: ['system:authenticated'] }, 'test');
    expect(await put(`virtualmachines/${name}/start`, {}, as('nobody'))).toMatch(
      /^403 virtualmachines.subresources.kubevirt.io ".*" is forbidden: User "nobody" cannot update resource "virtualmachines\/start"/,
    );
    expect(await put(`virtualmachines/${name}/start`, {}, as('view'))).toMatch(/^403 /);
    expect(await put(`virtualmachines/${name}/start`, {}, as('admin'))).toBe('202');
    await expect(as('view').get(VMS, name, inDefault)).resolves.toBeDefined();
    await expect(as('view').delete(VMS, name, inDefault)).rejects.toMatchObject({ code: 403 });
    await expect(as('edit').deleteCollection(VMS, inDefault)).rejects.toMatchObject({ code: 403 });
  });

  it.skipIf(!hasKubectl())('can be called by kubectl', async () => {
    const kubectl = kubectlFor(plane.plane);
    const name = await make({ running: false });
    const runs = await make({ running: true }, 'Running');
    const ran = await kubectl.run('replace', '--raw', pathOf(`virtualmachines/${name}/start`), '-f', '/dev/null');
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect((await vm(name)).spec.running).toBe(true);
    const { err } = await kubectl.run('get', '--raw', pathOf(`virtualmachineinstances/${runs}/vnc`));
    expect(err).toContain('virtualmachineinstances/vnc is not supported yet');
    expect((await kubectl.run('get', 'vm', name, '-o', 'name')).out).toBe(`virtualmachine.kubevirt.io/${name}\n`);
    kubectl.close();
  });
});
