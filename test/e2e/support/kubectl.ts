import { spawn } from 'node:child_process';
import { words } from './words.ts';

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export { hasKubectl } from '#testing/programs';

/** Runs kubectl against exactly one server. */
export class Kubectl {
  readonly #env: NodeJS.ProcessEnv;

  constructor(kubeconfig: string, home: string) {
    this.#env = { PATH: process.env['PATH'], HOME: home, KUBECONFIG: kubeconfig };
  }

  async run(args: readonly string[], input = '', env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
    const child = spawn('kubectl', args, { env: { ...this.#env, ...env } });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const code = await new Promise<number>((resolve) => child.on('close', (status) => resolve(status ?? -1)));
    return { code, out, err };
  }

  /** Runs a command line, or its words, which must succeed, and returns its output. */
  async ok(line: string | readonly string[], input = ''): Promise<string> {
    const args = typeof line === 'string' ? words(line) : line;
    const { code, out, err } = await this.run(args, input);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${err}`);
    return out;
  }

  /** Starts kubectl and yields its output until `stop`. */
  follow(args: readonly string[]): { readonly lines: () => string[]; stop(): Promise<void> } {
    const child = spawn('kubectl', args, { env: this.#env });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    const closed = new Promise((resolve) => child.on('close', resolve));
    return {
      lines: () => out.split('\n').filter((line) => line !== ''),
      stop: async () => {
        child.kill('SIGTERM');
        await closed;
      },
    };
  }
}
