import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { VMIS, VMS } from '#api/kubevirt/resources';
import { connectWebSocket } from '#platform/kube/http/connect-web-socket';
import { KubeError } from '#platform/kube/kube-error';
import type { ClusterAccess } from '#platform/kube/kubeconfig/cluster-access';
import { serveStream } from '#platform/runtime/http/serve-stream';
import { type SubresourcePlane, startSubresourcePlane } from '#testing/subresource-harness';
import { template } from '#testing/vm-harness';
import { WAIT } from '#testing/wait';
import type { GuestAccess } from './guest-access.ts';

const namespace = 'default';
const opened: string[] = [];
let guest = new PassThrough();

/** Guests that send back what they get. */
const access: GuestAccess = {
  open: async ({ metadata }, what) => {
    opened.push(`${what} of ${metadata.name}`);
    return (guest = new PassThrough());
  },
  connect: async ({ metadata }, port) => {
    if (port === 81) throw new KubeError(500, 'InternalError', 'nothing listens on port 81');
    opened.push(`port ${port} of ${metadata.name}`);
    return (guest = new PassThrough());
  },
  screenshot: async () => Buffer.from('a picture'),
  report: async () => ({
    agentVersion: '7.2',
    supportedCommands: ['guest-exec'],
    os: { id: 'debian' },
    hostname: 'web',
    users: [{ userName: 'root' }],
    fileSystems: [{ mountPoint: '/' }],
  }),
  setFrozen: async ({ metadata }, frozen) => void opened.push(`${frozen ? 'freeze' : 'thaw'} ${metadata.name}`),
};

let plane: SubresourcePlane;
beforeAll(async () => {
  plane = await startSubresourcePlane({ access, serve: serveStream });
  for (const name of ['web', 'off', 'headless']) {
    await plane.client.create(VMS, { metadata: { name, namespace }, spec: { template, running: true } });
    const devices = name === 'headless' ? { autoattachSerialConsole: false, autoattachGraphicsDevice: false } : {};
    const spec = {
      ...template.spec,
      domain: { ...template.spec.domain, devices: { ...template.spec.domain.devices, ...devices } },
    };
    await plane.client.create(VMIS, { metadata: { name, namespace }, spec });
    if (name === 'off') continue;
    const conditions = [{ type: 'AgentConnected', status: 'True' }];
    const body = { status: { phase: 'Running', ...(name === 'web' ? { conditions } : {}) } };
    await plane.client.patch(VMIS, name, { type: 'merge', body }, { namespace, subresource: 'status' });
  }
});
afterAll(async () => await plane.plane.stop());

const clusterAccess = (user?: string): ClusterAccess => ({
  server: plane.plane.url,
  ca: plane.plane.pki.caPem,
  insecure: false,
  namespace,
  headers: async () => ({
    authorization: `Bearer ${plane.plane.adminToken}`,
    ...(user === undefined ? {} : { 'Impersonate-User': user }),
  }),
  certificate: async () => undefined,
  refused: () => false,
});

const connect = (what: string, user?: string, protocols = ['plain.kubevirt.io']) =>
  connectWebSocket(clusterAccess(user), `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/${what}`, protocols);

/** Returns the error of a connection that must be rejected. */
const rejection = async (what: string, user?: string) =>
  await connect(what, user).then(
    () => 'connected',
    (error: unknown) => (error instanceof KubeError ? `${error.code} ${error.message}` : String(error)),
  );

describe('connections to a guest', () => {
  it.each([
    ['virtualmachineinstances/web/console', 'console of web'],
    ['virtualmachineinstances/web/vnc', 'vnc of web'],
    ['virtualmachineinstances/web/portforward/22', 'port 22 of web'],
    ['virtualmachineinstances/web/portforward/22/tcp', 'port 22 of web'],
    ['virtualmachines/web/portforward/8080', 'port 8080 of web'],
  ])('by %s reach the %s, in both directions', async (path, what) => {
    const { protocol, stream } = await connect(path, 'edit');
    expect(protocol).toBe('plain.kubevirt.io');
    expect(opened.at(-1)).toBe(what);
    stream.write('hello');
    const [data] = (await stream.take(1).toArray()) as Buffer[];
    expect(data?.toString()).toBe('hello');
    await vi.waitUntil(() => guest.destroyed, WAIT);
  });

  it('end with the guest', async () => {
    const { stream } = await connect('virtualmachineinstances/web/console');
    guest.end('bye');
    const received = (await stream.toArray()) as Buffer[];
    expect(Buffer.concat(received).toString()).toBe('bye');
  });

  it('carry much data without loss', async () => {
    const { stream } = await connect('virtualmachineinstances/web/portforward/80', undefined, []);
    const sent = Buffer.alloc(8 << 20, 'data');
    for (let at = 0; at < sent.length; at += 65_536) stream.write(sent.subarray(at, at + 65_536));
    const received: Buffer[] = [];
    let length = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      received.push(chunk);
      length += chunk.length;
      if (length >= sent.length) break;
    }
    expect(Buffer.concat(received).equals(sent)).toBe(true);
  });

  it.each([
    ['virtualmachineinstances/none/console', '404 virtualmachineinstance.kubevirt.io "none" not found'],
    ['virtualmachines/none/portforward/1', '404 virtualmachine.kubevirt.io "none" not found'],
    ['virtualmachineinstances/off/vnc', '409 .*"off": VMI is not running'],
    ['virtualmachineinstances/headless/console', '400 No serial consoles are present'],
    ['virtualmachineinstances/headless/vnc', '400 No graphics devices are present'],
    ['virtualmachineinstances/web/portforward/0', '400 .*needs a port from 1 to 65535'],
    ['virtualmachineinstances/web/portforward/99999', '400 .*needs a port'],
    ['virtualmachineinstances/web/portforward/53/udp', '501 port-forward by udp is not supported'],
    ['virtualmachineinstances/web/portforward/81', '500 nothing listens on port 81'],
  ])('by %s are rejected with %s', async (what, expected) => {
    expect(await rejection(what, 'edit')).toMatch(new RegExp(`^${expected}`));
  });

  it('need permission for the subresource', async () => {
    const before = opened.length;
    expect(await rejection('virtualmachineinstances/web/console', 'view')).toMatch(
      /^403 .*User "view" cannot get resource "virtualmachineinstances\/console"/,
    );
    expect(await rejection('virtualmachineinstances/web/portforward/22', 'view')).toMatch(/^403 /);
    expect(opened.length).toBe(before);
  });

  it('show what the guest agent reports now', async () => {
    const ask = async (what: string, method: 'GET' | 'PUT' = 'GET') => {
      const path = `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstances/${what}`;
      return (await plane.client.request({ method, path, ...(method === 'PUT' ? { body: {} } : {}) })).body;
    };
    expect(await ask('web/guestosinfo')).toMatchObject({
      guestAgentVersion: '7.2',
      hostname: 'web',
      os: { id: 'debian' },
      supportedCommands: [{ name: 'guest-exec', enabled: true }],
      userList: [{ userName: 'root' }],
      fsInfo: { disks: [{ mountPoint: '/' }] },
    });
    expect(await ask('web/userlist')).toMatchObject({ items: [{ userName: 'root' }] });
    expect(await ask('web/filesystemlist')).toMatchObject({ items: [{ mountPoint: '/' }] });
    await ask('web/freeze', 'PUT');
    await ask('web/unfreeze', 'PUT');
    expect(opened.slice(-2)).toEqual(['freeze web', 'thaw web']);
    await expect(ask('headless/userlist')).rejects.toThrow('VMI does not have guest agent connected');
    expect(String(await ask('web/vnc/screenshot'))).toBe('a picture');
  });

  it('need a WebSocket', async () => {
    const path = `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstances/web/console`;
    await expect(plane.client.request({ method: 'GET', path })).rejects.toThrow(
      'virtualmachineinstances/console needs a WebSocket connection over HTTP/1.1 with the subprotocol plain.kubevirt.io',
    );
  });
});
