import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Client, WatchEvent } from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { runHyperctl } from '#testing/hyperctl';

/** Creates a cluster on which a created object goes through these states. */
function clusterWhere(...states: readonly object[]) {
  const made: KubeObject[] = [];
  const current = (status?: object) => ({ ...made[0], ...(status === undefined ? {} : { status }) }) as KubeObject;
  const client = {
    create: async (_type: unknown, object: KubeObject) => {
      made.push({ ...object, metadata: { ...object.metadata, uid: 'u' } });
      return current();
    },
    get: async () => current(),
    async *watch(): AsyncGenerator<WatchEvent> {
      for (const status of states) yield { type: 'MODIFIED', object: current(status) };
    },
  };
  return { client: client as unknown as Client, made };
}

const call = (client: Client, text: string) => runHyperctl(['k8s', ...text.split(' '), '-wait'], { client });

describe('with -wait a call', () => {
  it('creates the operation, reports its progress on standard error, and prints it when it has succeeded', async () => {
    const { client, made } = clusterWhere(
      { phase: 'Pending', message: 'after my-vm-stop-x' },
      { phase: 'Running', progress: 40 },
      { phase: 'Running', progress: 40 },
      { phase: 'Running', progress: 80, message: 'copying disks' },
      { phase: 'Succeeded', progress: 100, result: { targetVM: 'twin' } },
    );
    const { code, out, err } = await call(client, '-op vm-clone -vm my-vm -target twin');
    expect(code).toBe(0);
    expect(err).toBe(
      [
        `vmoperation.hypersdk.io/${made[0]?.metadata.name ?? ''} created`,
        'my-vm: clone Pending',
        'my-vm: clone Pending: after my-vm-stop-x',
        'my-vm: clone Running 40 %',
        'my-vm: clone Running 80 %: copying disks',
        'my-vm is cloned to twin',
        '',
      ].join('\n'),
    );
    const { uid: _, ...metadata } = made[0]?.metadata ?? {};
    expect(parse(out)).toEqual({ ...made[0], metadata });
  });

  it.each([
    ['Failed', 'there is no VirtualMachine "my-vm"'],
    ['Cancelled', 'called off by admin'],
  ])('prints no object if the operation is %s, and reports why', async (phase, message) => {
    const { client } = clusterWhere({ phase, message });
    expect(await call(client, '-op vm-start -vm my-vm')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(new RegExp(`error: failed waiting for my-vm-start-\\w+ to finish: ${message}\n$`)),
    });
  });

  it('waits until a snapshot can be restored', async () => {
    const { client } = clusterWhere({ phase: 'Creating' }, { phase: 'Ready', size: '3Gi', readyToRestore: true });
    const { code, err } = await call(client, '-op vm-snapshot-create -vm my-vm -snapshot monday');
    expect([code, err]).toEqual([
      0,
      'vmsnapshot.hypersdk.io/monday created\nmy-vm: snapshot Pending\nmy-vm: snapshot Creating\nmy-vm is saved in monday (3Gi)\n',
    ]);
  });

  it('waits until a template is ready, or reports what is wrong with it', async () => {
    const words = '-op template-create -template t -image docker://a/b';
    expect(await call(clusterWhere({ ready: true }).client, words)).toMatchObject({
      code: 0,
      err: expect.stringMatching(/t is ready\n$/),
    });
    const conditions = [{ type: 'Valid', status: 'False', message: 'the disk is smaller than the image' }];
    expect(await call(clusterWhere({ ready: false, conditions }).client, words)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('failed waiting for t to be ready: the disk is smaller than the image'),
    });
  });

  it.each([
    ['', 'Running'],
    [' -stopped', 'Stopped'],
  ])('waits until a VM has the requested state%s', async (more, phase) => {
    const { client } = clusterWhere({ phase: 'Creating' }, { phase });
    const { code, err } = await call(client, `-op vm-create -vm my-vm${more}`);
    expect([code, err]).toEqual([
      0,
      `virtualmachine.hypersdk.io/my-vm created\nmy-vm: Unknown\nmy-vm: Creating\nmy-vm is ${phase}\n`,
    ]);
  });

  it('fails after the timeout', async () => {
    const { client } = clusterWhere();
    const endless: Client = {
      ...client,
      watch: (_type, options) =>
        (async function* () {
          await new Promise((_resolve, reject) =>
            options?.signal?.addEventListener('abort', () => reject(new Error())),
          );
          yield* [];
        })(),
    };
    expect(await call(endless, '-op vm-create -vm my-vm -timeout 20ms')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('error: timed out after 20ms waiting for my-vm to be Running, which is Unknown'),
    });
  });

  it('reports what is missing if the cluster does not serve operations', async () => {
    const client = {
      create: () => Promise.reject(new KubeError(404, 'NotFound', 'the server could not find the requested resource')),
      raw: async () => JSON.stringify({ resources: [{ name: 'virtualmachines' }] }),
    };
    expect(await call(client as unknown as Client, '-op vm-start -vm my-vm')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('error: this cluster does not serve VMOperation of hypersdk.io\n'),
    });
  });
});
