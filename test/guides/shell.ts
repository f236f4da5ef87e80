import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Ran {
  readonly code: number;
  /** Both outputs, as a terminal shows them. */
  readonly out: string;
}

/** A persistent shell, so that later commands see what earlier ones have set. */
export class Shell {
  readonly #child: ChildProcess;
  #out = '';
  #turn = 0;
  #more: () => void = () => {};

  constructor(folder: string, env: NodeJS.ProcessEnv) {
    this.#child = spawn('bash', ['--noprofile', '--norc'], { cwd: folder, env, detached: true });
    // The shell exits together with its parent, for whatever reason, and stops its children.
    this.#child.stdin?.write("trap 'kill -KILL 0' EXIT\n");
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#out += chunk.toString();
        this.#more();
      });
    }
  }

  async run(command: string): Promise<Ran> {
    const end = `end-of-command-${++this.#turn}`;
    this.#out = '';
    this.#child.stdin?.write(`{ ${command}\n} 2>&1 </dev/null\nprintf '%s %d\\n' ${end} $?\n`);
    const done = new RegExp(`^([^]*)${end} (\\d+)\\n$`);
    for (;;) {
      const [, out, code] = done.exec(this.#out) ?? [];
      if (out !== undefined) return { out, code: Number(code) };
      await new Promise<void>((resolve) => (this.#more = resolve));
    }
  }

  /** Runs a command until it has printed a text, and then interrupts it. */
  watch(command: string): Promise<Ran> {
    const bare = command.replace(/\s+#[^'"]*$/, '');
    return this.run(`shown=$(mktemp); ${bare} >"$shown" 2>&1 & watching=$!
until [ -s "$shown" ] || ! kill -0 $watching 2>/dev/null; do sleep 0.05; done
kill $watching 2>/dev/null; wait $watching; [ -s "$shown" ] && cat "$shown"`);
  }

  /** Starts a server, and resolves when it has printed a text. */
  async serve(command: string, ready: RegExp): Promise<void> {
    await this.run(`served=$(mktemp); ${command} >"$served" 2>&1 &`);
    const looked = await this.run(
      `until grep -qE '${ready.source}' "$served"; do kill -0 $! || break; sleep 0.05; done; cat "$served"`,
    );
    if (!ready.test(looked.out)) throw new Error(`${command}: ${looked.out}`);
  }

  /** Stops the shell and its children. */
  async stop(): Promise<void> {
    const { pid } = this.#child;
    const exited = once(this.#child, 'exit');
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    await exited;
  }
}
