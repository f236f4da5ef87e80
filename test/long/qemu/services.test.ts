import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { hasKubectl, hasQemu } from '#testing/programs';
import { Kubectl } from '../../e2e/support/kubectl.ts';
import { startUp, vimana } from '../../e2e/support/vimana.ts';
import { isRunning } from './is-running.ts';

const WAIT = { timeout: 240_000, interval: 250 };
const FLAGS = ['--runtime', 'qemu', '--empty', '--dialects', 'kubevirt'];
const WEB = '#!/bin/sh\nmkdir /www; echo "page of $(hostname)" >/www/index.html; httpd -p 8080 -h /www\n';

const MANIFEST = JSON.stringify({
  apiVersion: 'v1',
  kind: 'List',
  items: [
    {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        runStrategy: 'Always',
        template: {
          metadata: { labels: { app: 'web' } },
          spec: {
            nodeSelector: { 'vimana.io/runtime': 'qemu' },
            terminationGracePeriodSeconds: 0,
            domain: {
              cpu: { cores: 1 },
              memory: { guest: '128Mi' },
              devices: {
                disks: ['root', 'seed'].map((name) => ({ name, disk: { bus: 'virtio' } })),
                interfaces: [{ name: 'default', masquerade: {} }],
              },
            },
            networks: [{ name: 'default', pod: {} }],
            volumes: [
              { name: 'root', containerDisk: { image: 'vimana.local/demo-guest' } },
              { name: 'seed', cloudInitNoCloud: { userData: WEB } },
            ],
          },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'default' },
      spec: { type: 'NodePort', selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
    },
  ],
});

const pageAt = async (port: string) =>
  await fetch(`http://127.0.0.1:${port}/index.html`, { signal: AbortSignal.timeout(10_000) }).then(
    (response) => response.text(),
    () => undefined,
  );

describe.skipIf(!hasQemu() || !hasKubectl())('a Service of real VMs', () => {
  it('is reachable on this host, and VMs without an instance are found', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vimana-services-'));
    const data = join(folder, 'data');
    const target = { kubeconfig: join(folder, 'kubeconfig'), folder, stop: () => Promise.resolve() };
    expect(vimana(target, 'image', 'build', '--data-dir', data)).toMatchObject({ status: 0 });
    const up = await startUp(FLAGS, folder);
    const kubectl = new Kubectl(up.kubeconfig, folder);
    const node = JSON.parse(await kubectl.ok('get node qemu-node-1 -o json')) as {
      readonly metadata: { readonly labels: Record<string, string> };
      readonly status: { readonly conditions: readonly { readonly type: string }[] };
    };
    expect(node.metadata.labels['vimana.io/accelerator']).toMatch(/^(?:kvm|tcg)$/);
    expect(node.status.conditions.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['HardwareAccelerated', 'MachinesIsolated', 'MachinesLimited', 'GuestNetworkReady']),
    );
    const file = join(folder, 'web.json');
    writeFileSync(file, MANIFEST);
    await kubectl.ok(['apply', '-f', file]);
    const port = await kubectl.ok(['get', 'svc', 'web', '-o', 'jsonpath={.spec.ports[0].nodePort}']);
    expect(await vi.waitUntil(async () => await pageAt(port), WAIT)).toBe('page of web\n');
    const addressOf = () => kubectl.ok(['get', 'vmi', 'web', '-o', 'jsonpath={.status.interfaces[0].ipAddress}']);
    const address = await addressOf();

    expect(vimana({ ...up, folder }, 'vm', 'restart', 'web', '--wait')).toMatchObject({ status: 0 });
    expect(await vi.waitUntil(async () => await pageAt(port), WAIT)).toBe('page of web\n');
    expect(await addressOf()).toBe(address);

    process.kill(up.pid, 'SIGKILL');
    await vi.waitUntil(() => !isRunning(up.pid), WAIT);
    const [orphan] = JSON.parse(vimana(up, 'ls', '-o', 'json').stdout) as readonly {
      readonly dataDir: string;
      readonly machines: readonly { readonly name: string; readonly pid: number }[];
    }[];
    expect(orphan).toMatchObject({ dataDir: data, machines: [{ name: 'web', namespace: 'default' }] });
    const pid = orphan?.machines[0]?.pid ?? 0;
    expect(isRunning(pid)).toBe(true);
    const deleted = vimana(up, 'delete', '--data-dir', data);
    expect(deleted).toMatchObject({ status: 0, stdout: expect.stringContaining('ended 1 VMs that ran without it') });
    expect(isRunning(pid)).toBe(false);
  });
});
