import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { CommandOutcome } from '#testing/command-harness';

const manifest = readFileSync('test/fifth-dialect/vm.yaml', 'utf8');
const files = { 'vm.yaml': manifest, 'rejected.yaml': manifest.replace('cores: 1', 'cores: 13') };

/** Runs commands in a process whose lists of groups have one more line each. */
async function runCommands(commands: readonly string[]): Promise<CommandOutcome[]> {
  const args = ['--import', './test/fifth-dialect/register.ts', 'test/fifth-dialect/run.ts', ...commands];
  const env = { ...process.env, FILES: JSON.stringify(files) };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return JSON.parse(stdout) as CommandOutcome[];
}

describe('a dialect in its own directory, with one line in each list', () => {
  it('is admitted, runs, is listed and stopped', async () => {
    const [rejected, created, listed, stopped, off, deleted, another, described] = await runCommands([
      'vm create -f rejected.yaml',
      'vm create -f vm.yaml --wait',
      'vm list -o wide',
      'vm stop web --wait',
      'vm list -o wide',
      'vm delete web --wait',
      'vm create db --group example.org --cpus 2 --memory 1Gi --wait',
      'vm describe db',
    ]);
    expect(rejected?.err).toContain('spec.cores: Invalid value: 13: must not be 13');
    expect(created).toMatchObject({ code: 0, err: expect.anything() });
    expect(listed?.out).toMatch(/^web +example\.org +Running /m);
    expect(stopped).toMatchObject({ code: 0 });
    expect(off?.out).toMatch(/^web +example\.org +Stopped .* 1 +512Mi$/m);
    expect(deleted).toMatchObject({ code: 0 });
    expect(another).toMatchObject({ code: 0 });
    expect(described?.out).toMatch(/^CPUs: +2$/m);
  });
});
