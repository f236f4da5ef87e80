import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { exporterJourney } from '../e2e/journeys/simulation-exporter.ts';
import { startExporter } from '../e2e/support/exporter.ts';
import { startUp } from '../e2e/support/vimana.ts';

exporterJourney({
  name: 'vimana up',
  start: () => startUp(['--dialects', 'simulation', '--ephemeral', '--nodes', '12']),
});

const ROOT = resolve(import.meta.dirname, '../..');
const SCENARIOS = join(ROOT, 'examples/simulation/sample_scenarios.json');

describe('vimana exporter alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-exporter-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('works in memory without a cluster', async () => {
    const nowhere = { KUBECONFIG: join(folder, 'nowhere') };
    const exporter = await startExporter(['--scenario', `${SCENARIOS}#mixed_load`], nowhere);
    const warning = 'Running without pod management - metrics will be calculated from VMs directly';
    expect(exporter.said()).toContain(`WARN  ${warning}`);
    expect(await exporter.json('/health')).toMatchObject({ nodes: 12, pod_manager_enabled: false, warning });
    await exporter.stop();
  });

  it('works in memory until the cluster responds', async () => {
    const up = await startUp(['--dialects', 'simulation', '--ephemeral', '--nodes', '12']);
    const text = readFileSync(up.kubeconfig, 'utf8');
    const [, server = ''] = /https:\/\/127\.0\.0\.1:(\d+)/.exec(text) ?? [];
    const door = createServer((socket) => {
      const inner = connect(Number(server), '127.0.0.1');
      for (const each of [socket, inner]) each.on('error', () => each.destroy());
      socket.pipe(inner).pipe(socket);
    });
    const open = async (port: number) => {
      door.listen(port, '127.0.0.1');
      await once(door, 'listening');
      return (door.address() as AddressInfo).port;
    };
    const port = await open(0);
    door.close();
    const late = join(folder, 'late');
    writeFileSync(late, text.replace(`127.0.0.1:${server}`, `127.0.0.1:${port}`));
    const exporter = await startExporter(['--scenario', SCENARIOS], { KUBECONFIG: late });
    expect(await exporter.json('/health')).toMatchObject({ nodes: 6, pod_manager_enabled: false });
    await open(port);
    await vi.waitFor(
      async () => {
        expect(await exporter.json('/health')).toEqual({
          status: 'healthy',
          nodes: 12,
          pod_manager_enabled: true,
          k8s_client_ready: true,
        });
        expect(exporter.said()).toMatch(/scenario loaded.*scenario loaded/s);
      },
      { timeout: 60_000, interval: 200 },
    );
    await exporter.stop();
    door.close();
    await up.stop();
  });

  it.each([
    ['--kubeconfig', 'nowhere', 'nowhere'],
    ['--context', 'nobody', 'nobody'],
  ])('does not start if %s is invalid', (flag, value, said) => {
    const env = { PATH: process.env['PATH'], HOME: folder };
    const run = spawnSync(join(ROOT, 'bin/vimana'), ['exporter', '--port', '0', flag, value], {
      encoding: 'utf8',
      env,
    });
    expect([run.status, run.stderr]).toEqual([1, expect.stringContaining(said)]);
  });

  it('reports what is wrong with a scenario, and does not start', () => {
    const file = join(folder, 'broken.json');
    writeFileSync(file, JSON.stringify({ a: [{ name: 'n', vms: [{ id: 'x', cpu_consumption: -1 }] }] }));
    const { status, stderr } = spawnSync(join(ROOT, 'bin/vimana'), ['exporter', '--scenario', file], {
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toContain('a[0].vms[0].cpu_consumption: Invalid value: -1: must not be negative');
    expect(stderr).toContain('a[0].vms[0].memory_consumption: Required value');
  });
});
