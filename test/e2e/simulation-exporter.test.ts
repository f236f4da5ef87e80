import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { exporterJourney } from './journeys/simulation-exporter.ts';
import { startExporter } from './support/exporter.ts';
import { startUp } from './support/vimana.ts';

exporterJourney({
  name: 'vimana up',
  start: () => startUp(['--dialects', 'simulation', '--ephemeral', '--nodes', '12']),
});

const ROOT = resolve(import.meta.dirname, '../..');
const SCENARIOS = join(ROOT, 'examples/simulation/sample_scenarios.json');

describe('vimana exporter alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-exporter-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('works on paper where no cluster answers', async () => {
    const nowhere = join(folder, 'nowhere');
    const exporter = await startExporter(['--kubeconfig', nowhere, '--scenario', `${SCENARIOS}#mixed_load`], {});
    const warning = 'Running without pod management - metrics will be calculated from VMs directly';
    expect(exporter.said()).toContain(`WARN  ${warning}`);
    expect(await exporter.json('/health')).toMatchObject({ nodes: 12, pod_manager_enabled: false, warning });
    await exporter.stop();
  }, 60_000);

  it('says what is wrong with a scenario, and does not start', () => {
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
