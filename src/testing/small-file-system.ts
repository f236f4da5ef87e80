import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportSkipped } from './programs.ts';

/** A file system of its own, which a test can fill without an effect on anything else. */
export class SmallFileSystem {
  readonly directory: string;

  private constructor(directory: string) {
    this.directory = directory;
  }

  /** Mounts a file system; undefined, with a note, where only an administrator may do that. */
  static mount(what: string, mebibytes: number): SmallFileSystem | undefined {
    const directory = mkdtempSync(join(tmpdir(), 'small-'));
    const { status } = spawnSync('mount', [
      '-t',
      'tmpfs',
      '-o',
      `size=${mebibytes}m,mode=700`,
      'vimana-test',
      directory,
    ]);
    if (status === 0) return new SmallFileSystem(directory);
    rmdirSync(directory);
    reportSkipped(`${what}, because this user may not mount a file system`);
    return undefined;
  }

  get available(): number {
    const { bavail, bsize } = statfsSync(this.directory);
    return bavail * bsize;
  }

  /** Writes a file that takes all space but this. Returns its path. */
  fill(left = 0): string {
    const path = join(this.directory, 'filler');
    writeFileSync(path, Buffer.alloc(Math.max(0, this.available - left)));
    return path;
  }

  unmount(): void {
    spawnSync('umount', ['--lazy', this.directory]);
    rmdirSync(this.directory);
  }
}
