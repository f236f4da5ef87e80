import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Stops a program when the process that started it exits, for whatever reason. */
const KEEPER = resolve(import.meta.dirname, 'keeper.sh');

export interface ComponentSettings {
  readonly name: string;
  readonly binary: string;
  readonly args: readonly string[];
  /** Path of its log. */
  readonly folder: string;
  /** Paths to delete if this process exits without stopping the program. */
  readonly remains?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** A program of the control plane that can be stopped and restarted. */
export class Component {
  readonly #settings: ComponentSettings;
  #child: ChildProcess | undefined;

  constructor(settings: ComponentSettings) {
    this.#settings = settings;
  }

  get name(): string {
    return this.#settings.name;
  }

  get running(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Returns its log. */
  log(): string {
    return readFileSync(this.#logFile(), 'utf8');
  }

  start(): void {
    if (this.running) return;
    const { binary, args, remains = '', env = {} } = this.#settings;
    const log = openSync(this.#logFile(), 'a');
    // The program has its own process group, so that the watcher can still stop it if the group of the test is killed.
    this.#child = spawn('sh', [KEEPER, remains, binary, ...args], {
      stdio: ['pipe', log, log],
      detached: true,
      env: { PATH: process.env['PATH'], HOME: this.#settings.folder, ...env },
    });
    this.#child.stdin?.on('error', () => {});
  }

  /** Stops the program with SIGTERM, or kills it immediately. */
  async stop(how: 'gently' | 'at once' = 'gently'): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.running) return;
    const gone = once(child, 'exit');
    child.stdin?.end(how === 'gently' ? 'gently\n' : 'now\n');
    await gone;
  }

  #logFile(): string {
    return join(this.#settings.folder, `${this.#settings.name}.log`);
  }
}
