import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostileImages, hostileImages, writeHostileImages } from '#testing/images/hostile-images';
import { type FileServer, fileServer } from '#testing/images/image-server';
import { newDirectory, testStore } from '#testing/images/image-store';
import { hasPrograms } from '#testing/programs';
import { programFiles, runSandboxed } from '../sandbox/run-sandboxed.ts';

const isReady = hasPrograms('hostile images', 'qemu-img', 'bwrap', 'prlimit', 'xz', 'strace');
const MIB = 2 ** 20;
/** Vitest names tests before it creates the images. */
const NAMES = [
  ...['backing file', 'backing file in JSON', 'backing file on the network', 'data file', 'VMDK descriptor'],
  ...['VMDK with embedded descriptor', 'VMDK with parent', 'VDI of differences', 'huge qcow2', 'huge VHDX'],
  ...['short header', 'broken header', 'broken tables', 'unknown version', 'empty VHDX', 'error page', 'gzip bomb'],
  ...['xz bomb', 'qcow2 bomb', 'broken gzip', 'broken xz'],
];

let directory: string;
let canary: string;
let images: HostileImages;
let files: Readonly<Record<string, string>>;
let server: FileServer;
beforeAll(async () => {
  if (!isReady) return;
  directory = mkdtempSync(join(tmpdir(), 'vimana-hostile-'));
  canary = join(directory, 'canary');
  writeFileSync(canary, Buffer.alloc(MIB, 'secret of the host '));
  images = hostileImages(directory, canary);
  files = writeHostileImages(directory, images);
  server = await fileServer();
});
afterAll(async () => {
  if (!isReady) return;
  await server.close();
  rmSync(directory, { recursive: true });
});

/** Returns how often a traced process has opened the canary. */
function openings(trace: string): number {
  const lines = readFileSync(trace, 'utf8').split('\n');
  return lines.filter((line) => line.includes(canary) && /\b(?:open|openat|openat2)\(.*= \d+/.test(line)).length;
}

/** Runs a command, and records all of its system calls that name files. */
function traced(trace: string, command: readonly string[]) {
  return spawnSync('strace', ['-f', '-s', '4096', '-e', 'trace=%file', '-o', trace, ...command], { encoding: 'utf8' });
}

describe.skipIf(!isReady)('a hostile image', () => {
  it('is tested in all of its forms', () => {
    expect(Object.keys(images)).toEqual(NAMES);
  });

  it.each(NAMES)('is rejected: %s', async (name) => {
    const root = newDirectory();
    const { content = Buffer.alloc(0), problem = '' } = images[name] ?? {};
    server.files.set('/image', { content });
    const { store, cache } = testStore(root, { limits: { virtualBytes: 1024 * MIB, fileBytes: 64 * MIB } });
    const options = { onProgress: () => undefined, signal: new AbortController().signal };
    const pulled = store.pull({ image: `${server.url}/image`, namespace: 'a' }, options);
    await expect(pulled).rejects.toMatchObject({ reason: 'ImageRejected', message: expect.stringContaining(problem) });
    expect(await cache.list()).toEqual([]);
    rmSync(root, { recursive: true });
  });

  it('does not make us read a file of the host, not even while it is being rejected', () => {
    const trace = join(directory, 'trace');
    const script = new URL('../../../testing/images/convert-images.ts', import.meta.url).pathname;
    const { stdout, status } = traced(trace, [
      process.execPath,
      script,
      join(directory, 'out'),
      ...Object.values(files),
    ]);
    expect(status).toBe(0);
    const problems = JSON.parse(stdout) as readonly string[];
    expect(problems).toHaveLength(NAMES.length);
    for (const problem of problems) expect(problem).toContain('the image is rejected');
    expect(openings(trace)).toBe(0);
  });

  it('would be detected if it did: qemu-img alone opens the file', () => {
    const trace = join(directory, 'trace-of-qemu-img');
    const target = join(directory, 'leaked');
    traced(trace, ['qemu-img', 'convert', '-f', 'qcow2', '-O', 'raw', files['backing file'] ?? '', target]);
    expect(openings(trace)).toBeGreaterThan(0);
    expect(readFileSync(target, 'utf8')).toContain('secret of the host');
  });

  it('finds nothing in the sandbox, even if nobody had looked at its header', async () => {
    const out = join(directory, 'sandboxed');
    writeFileSync(out, '');
    const result = await runSandboxed(
      {
        program: await programFiles('qemu-img'),
        args: ['convert', '-f', 'qcow2', '-O', 'raw', '/image', '/disk'],
        readable: { '/image': files['backing file'] ?? '' },
        writable: { '/disk': out },
        limits: { cpuSeconds: 10, memoryBytes: 4096 * MIB, fileBytes: 64 * MIB },
      },
      new AbortController().signal,
    );
    expect(result).toMatchObject({ status: 1, stderr: expect.stringContaining('No such file or directory') });
    expect(readFileSync(out, 'utf8')).toBe('');
  });
});
