import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { writeKubeconfig } from '#platform/kube/kubeconfig/format-kubeconfig';
import { type CommandHarness, startCommandHarness } from '#testing/command-harness';
import { hasPrograms } from '#testing/programs';

const LAUNCHERS = ['vimana', 'hyperctl'].map((name) => resolve(import.meta.dirname, '../../bin', name));

const RC = {
  rc: [
    "bind 'set bell-style none'",
    'source <(vimana completion bash)',
    'source <(hyperctl completion bash)',
    "PS1='ready> '",
  ],
  '.zshrc': [
    'autoload -Uz compinit',
    'compinit -u -D',
    'source <(vimana completion zsh)',
    'source <(hyperctl completion zsh)',
    "PS1='ready> '",
  ],
};

const canComplete = (...programs: string[]) => hasPrograms('completion in a real shell', ...programs);

describe('completion in a real shell', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-completion-'));
  let world: CommandHarness;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    world = await startCommandHarness();
    await world.run(['vm', 'create', 'unmistakable', '-g', 'kubevirt.io', '--stopped']);
    const { pki, url } = world.embedded.plane;
    const kubeconfig = join(folder, 'kubeconfig');
    const { certPem: clientCert, keyPem: clientKey } = pki.admin;
    writeKubeconfig(kubeconfig, { name: 'somewhere', server: url, caPem: pki.caPem, clientCert, clientKey });
    mkdirSync(join(folder, 'bin'));
    for (const path of LAUNCHERS) symlinkSync(path, join(folder, 'bin', basename(path)));
    const PATH = [join(folder, 'bin'), process.env['PATH']].join(delimiter);
    env = { PATH, HOME: folder, ZDOTDIR: folder, KUBECONFIG: kubeconfig, TERM: 'dumb' };
    for (const [name, lines] of Object.entries(RC)) writeFileSync(join(folder, name), lines.join('\n'));
  });
  afterAll(async () => {
    await world.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = (program: string, ...args: string[]) => spawn(program, args, { cwd: folder, env });

  /** Incomplete command lines, and their completions. */
  const LINES: Readonly<Record<string, string>> = {
    'vimana vm mig': 'vimana vm migrate',
    'vimana vm list --output=ya': 'vimana vm list --output=yaml',
    'vimana up --dialects kubevirt,si': 'vimana up --dialects kubevirt,simulation',
    'vimana vm start unm': 'vimana vm start unmistakable',
    'vimana vm list -n vimana-s': 'vimana vm list -n vimana-system',
    'vimana vm list --context some': 'vimana vm list --context somewhere',
    'vimana validate kubec': 'vimana validate kubeconfig',
    'hyperctl k8s -op vm-snapshot-c': 'hyperctl k8s -op vm-snapshot-create',
    'hyperctl k8s -op vm-start -vm unm': 'hyperctl k8s -op vm-start -vm unmistakable',
    'hyperctl k8s -inc': 'hyperctl k8s -include-memory',
  };

  const TERMINALS = { bash: 'bash --noprofile --rcfile rc -i', zsh: 'zsh -i' };

  for (const [shell, command] of Object.entries(TERMINALS)) {
    it.skipIf(!canComplete(shell, 'script'))(`is done by ${shell} on a terminal`, async () => {
      const child = start('script', '-qec', command, '/dev/null');
      let out = '';
      child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
      const closed = once(child, 'close');
      const until = (text: RegExp) => vi.waitFor(() => expect(out).toMatch(text), { timeout: 15_000, interval: 20 });
      await until(/ready> /);
      const made: Record<string, string> = {};
      for (const line of Object.keys(LINES)) {
        out = '';
        // The shell prints the completed line instead of running it.
        child.stdin.write(`${line}\t\u0001echo "<\u0005>"\r`);
        await until(/\n<[^\n]*>[^]*ready> /);
        made[line] = (/\n<([^\n]*)>/.exec(out)?.[1] ?? '').trim();
      }
      child.stdin.end('exit\r');
      await closed;
      expect(made).toEqual(LINES);
    });
  }

  it.skipIf(!canComplete('fish'))(
    'is done by fish',
    async () => {
      const asked = Object.keys(LINES).map((line) => `complete -C '${line}'; echo next`);
      const script = [...['vimana', 'hyperctl'].map((name) => `${name} completion fish | source`), ...asked].join('; ');
      const child = start('fish', '--no-config', '-c', script);
      let out = '';
      child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
      await once(child, 'close');
      const offered = out.split('next\n').map((lines) => lines.replaceAll(/\t.*/g, '').trim());
      const words = Object.values(LINES).map((line) => line.split(' ').at(-1));
      expect(offered).toEqual([...words, '']);
    },
    60_000,
  );
});
