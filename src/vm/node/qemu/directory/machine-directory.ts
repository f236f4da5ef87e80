import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EndRecord, MachineRecord, StopRecord } from './machine-record.ts';

const RECORD = 'machine.json';
const STOP = 'stop.json';
const END = 'end.json';

/** Directory of one machine. All files are for the owner only, and each is written whole or not at all. */
export class MachineDirectory {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Creates the directory with its record. It exists under its name only when the record is on disk. */
  static async create(root: string, record: MachineRecord): Promise<MachineDirectory> {
    const path = join(root, record.spec.id);
    const draft = join(root, `.${record.spec.id}.new`);
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { recursive: true, mode: 0o700 });
    await writeDurably(draft, RECORD, JSON.stringify(record));
    await writeDurably(draft, 'deadline', 'never\n');
    await rename(draft, path);
    await syncDirectory(root);
    return new MachineDirectory(path);
  }

  /** Returns all directories below a root, also those of other clusters. */
  static async list(root: string): Promise<readonly MachineDirectory[]> {
    const names = await readdir(root).catch(ignoreMissing([]));
    return names.filter((name) => !name.startsWith('.')).map((name) => new MachineDirectory(join(root, name)));
  }

  async record(): Promise<MachineRecord | undefined> {
    return await this.#read<MachineRecord>(RECORD);
  }

  async stopRecord(): Promise<StopRecord | undefined> {
    return await this.#read<StopRecord>(STOP);
  }

  async endRecord(): Promise<EndRecord | undefined> {
    return await this.#read<EndRecord>(END);
  }

  async writeStop(stop: StopRecord): Promise<void> {
    await writeDurably(this.path, STOP, JSON.stringify(stop));
  }

  async writeEnd(end: EndRecord): Promise<void> {
    await writeDurably(this.path, END, JSON.stringify(end));
  }

  /** Returns what the keeper recorded about the end of QEMU: its exit status, or "fenced". */
  async exitStatus(): Promise<string | undefined> {
    return (await this.text('exit'))?.trim();
  }

  async text(name: string): Promise<string | undefined> {
    return await readFile(join(this.path, name), 'utf8').catch(ignoreMissing(undefined));
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }

  async #read<T>(name: string): Promise<T | undefined> {
    const text = await this.text(name);
    return text === undefined ? undefined : (JSON.parse(text) as T);
  }
}

async function writeDurably(directory: string, name: string, text: string): Promise<void> {
  const draft = join(directory, `${name}.tmp`);
  await using file = await open(draft, 'w', 0o600);
  await file.writeFile(text);
  await file.sync();
  await rename(draft, join(directory, name));
}

async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path, 'r');
  await directory.sync();
}

function ignoreMissing<T>(fallback: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT') return fallback;
    throw error;
  };
}
