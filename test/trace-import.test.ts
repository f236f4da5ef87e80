import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SimulationScenario } from '#api/simulation/simulation-scenario';
import { reportedError } from '#programs/cli/failure';
import type { Io } from '#programs/cli/io';
import { scenarioAt } from '#programs/cli/scenario-file';
import { traceCommand } from '#programs/cli/trace';
import { importTrace } from '#programs/trace';

const SAMPLES = join(import.meta.dirname, '../examples/simulation/traces');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vimana-trace-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(...args: string[]) {
  let [out, err] = ['', ''];
  const io: Io = {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    read: (path) => readFileSync(path, 'utf8'),
    manifestsAt: (path) => [path],
  };
  let code = 0;
  try {
    const command = traceCommand((settings) => importTrace(settings, io));
    for (const each of [command, ...command.commands]) each.exitOverride().configureOutput({ writeErr: io.err });
    await command.parseAsync(['import', ...args], { from: 'user' });
  } catch (error) {
    code = reportedError(error, io, { debug: false });
  }
  return { out, err, code, io };
}

function written(name: string, lines: readonly string[]): string {
  const file = join(folder, name);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

/** Imports into a file, and reads it as `vimana simulate` does: with the admission of the API. */
async function scenarioOf(...args: string[]): Promise<{ spec: SimulationScenario['spec']; err: string; text: string }> {
  const file = join(folder, 'scenario.yaml');
  const { code, err, io } = await run(...args, '--out', file);
  expect([code, err]).toEqual([0, expect.stringContaining(' VMs in ')]);
  return { spec: scenarioAt(io, file).spec, err, text: readFileSync(file, 'utf8') };
}

describe('vimana trace import', () => {
  it.each([
    ['azure', 'azure-vmtable.csv', 'azure-cpu-readings.csv', 5],
    ['google', 'google-instance-events.jsonl', 'google-instance-usage.jsonl', 4],
    ['alibaba', 'alibaba-container-meta.csv', 'alibaba-container-usage.csv', 3],
  ])('turns a trace of %s into a scenario', async (format, vms, usage, count) => {
    const files = ['--vms', join(SAMPLES, vms), '--usage', join(SAMPLES, usage)];
    const { spec, text } = await scenarioOf(format, ...files);
    expect(spec.vmPools).toHaveLength(count);
    expect(spec.profiles?.every(({ cpu }) => cpu.type === 'trace')).toBe(true);
    // One VM starts after six hours and ends after eighteen.
    expect(spec.timeline).toMatchObject([
      { at: '6h0m0s', action: 'create', count: 1 },
      { at: '18h0m0s', action: 'delete', count: 1 },
    ]);
    expect((await scenarioOf(format, ...files)).text).toBe(text);
  });

  it('converts sizes, percentages and times of Azure', async () => {
    const vms = written('vmtable.csv', [
      'a,s,d,0,99999999,90,50,80,Unknown,4,16',
      'b,s,d,600,900,9,5,8,Unknown,>24,>64',
    ]);
    const usage = written('readings.csv', ['0,a,1,99,50', '300,a,1,99,25', '600,b,0,10,5', '0,stranger,1,2,3']);
    const { spec } = await scenarioOf('azure', '--vms', vms, '--usage', usage, '--duration', '1h');
    expect(spec.vmPools).toMatchObject([
      { count: 1, resources: { cpu: '4000m', memory: '16384Mi' } },
      { count: 0, resources: { cpu: '24000m', memory: '65536Mi' } },
    ]);
    expect(spec.profiles?.[0]?.cpu.trace?.points).toEqual([
      { at: '0s', value: 0.5 },
      { at: '5m0s', value: 0.25 },
    ]);
    expect(spec.timeline).toMatchObject([
      { at: '10m0s', action: 'create' },
      { at: '15m0s', action: 'delete' },
    ]);
  });

  it('reads compressed files and several of them, and ignores a header', async () => {
    const zipped = join(folder, 'readings.csv.gz');
    writeFileSync(zipped, gzipSync('timestamp,vmid,mincpu,maxcpu,avgcpu\n300,a,1,2,40\n'));
    const vms = written('vmtable.csv', ['a,s,d,0,99999999,90,50,80,Unknown,4,16']);
    const first = written('first.csv', ['0,a,1,2,20']);
    const { spec } = await scenarioOf('azure', '--vms', vms, '--usage', first, zipped, '--duration', '1h');
    expect(spec.profiles?.[0]?.cpu.trace?.points.map(({ value }) => value)).toEqual([0.2, 0.4]);
  });

  it('groups many VMs within the limits of a scenario', async () => {
    const rows = Array.from({ length: 900 }, (_, i) => {
      const created = (i % 200) * 300;
      return `vm${i},s,d,${created},${created + 20_000},9,5,8,Unknown,${1 + (i % 80)},${1 + (i % 7)}`;
    });
    const vms = written('many.csv', rows);
    const usage = written(
      'many-readings.csv',
      rows.map((_, i) => `${(i % 200) * 300},vm${i},0,9,${i % 100}`),
    );
    const { spec, err } = await scenarioOf('azure', '--vms', vms, '--usage', usage, '--max-vms', '800');
    expect(spec.vmPools?.length).toBeLessThanOrEqual(64);
    expect(spec.timeline?.length).toBeLessThanOrEqual(500);
    expect(err).toContain('100 further VMs were left out; --max-vms imports more');
    const created = (spec.timeline ?? []).reduce(
      (sum, each) => sum + (each.action === 'create' ? (each.count ?? 0) : 0),
      0,
    );
    const started = (spec.vmPools ?? []).reduce((sum, { count }) => sum + count, 0);
    const [, brief = '0'] = /(\d+) VMs ran too briefly/.exec(err) ?? [];
    expect(created + started + Number(brief)).toBe(800);
  });

  it('reports everything that is wrong at once, with file, line and column', async () => {
    const vms = written('bad.csv', ['a,s,d,zero,9,1,1,1,Unknown,4,16', 'b,s,d,0,9', 'c,s,d,0,9,1,1,1,Unknown,many,-1']);
    const { code, err, out } = await run('azure', '--vms', vms, '--usage', vms);
    expect([code, out]).toEqual([1, '']);
    expect(err.split('\n').slice(1, 5)).toEqual([
      `  ${vms}:1:7: vmcreated: "zero" is not a number`,
      `  ${vms}:2:10: 5 columns, but 11 are needed: maxcpu is missing`,
      `  ${vms}:3:25: vmcorecount: "many" is not a size such as 4 or >24`,
      `  ${vms}:3:30: vmmemory: "-1" is not a size such as 4 or >24`,
    ]);
  });

  it('reports the place of an error in JSON lines', async () => {
    const vms = written('bad.jsonl', ['{"time":"0","type":"SCHEDULE","collection_id":"1"}', 'no json', '[]']);
    const { code, err } = await run('google', '--vms', vms, '--usage', vms);
    expect(code).toBe(1);
    expect(err).toContain(`${vms}:1:1: instance_index: it is missing`);
    expect(err).toMatch(new RegExp(`${vms}:2:\\d+: the line is not JSON: `));
    expect(err).toContain(`${vms}:3:1: the line is not a JSON object`);
  });

  it('gives up on a file of another format, and changes no file', async () => {
    const vms = written(
      'other.csv',
      Array.from({ length: 1000 }, () => 'x,y'),
    );
    const out = written('kept.yaml', ['kept']);
    const { code, err } = await run('alibaba', '--vms', vms, '--usage', vms, '--out', out);
    expect([code, err.match(/ is missing/g)?.length]).toEqual([1, 20]);
    expect(readFileSync(out, 'utf8')).toBe('kept\n');
  });

  it.each([
    [['--vms', 'nowhere.csv', '--usage', 'x'], 'cannot read nowhere.csv: ENOENT'],
    [['--vms', 'x', '--usage', 'x', '--duration', '720h'], 'set --interval to at least 30m'],
    [['--vms', 'x', '--usage', 'x', '--node-size', 'big'], 'It must be a size such as 32cpu,128Gi.'],
  ])('rejects %j', async (args, told) => {
    const { code, err } = await run('azure', ...args);
    expect(code).not.toBe(0);
    expect(err).toContain(told);
  });

  it('reports that no VM runs in the requested time', async () => {
    const vms = written('early.csv', ['a,s,d,0,300,1,1,1,Unknown,4,16']);
    const { code, err } = await run('azure', '--vms', vms, '--usage', vms, '--from', '1h');
    expect([code, err]).toEqual([1, expect.stringContaining('has no VM that runs in the requested time')]);
  });
});
