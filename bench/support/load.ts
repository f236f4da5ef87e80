import { Agent, request } from 'undici';
import type { Target } from './target.ts';

/** Sends requests over a fixed number of connections. */
export class Load {
  readonly #target: Target;
  readonly #agent: Agent;
  readonly #connections: number;

  constructor(target: Target, connections: number) {
    this.#target = target;
    this.#connections = connections;
    this.#agent = new Agent({ connections, connect: { rejectUnauthorized: false } });
  }

  async send(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: string,
    type = 'application/json',
  ): Promise<number> {
    const response = await request(`${this.#target.url}${path}`, {
      dispatcher: this.#agent,
      method,
      headers: {
        authorization: `Bearer ${this.#target.token}`,
        ...(body === undefined ? {} : { 'content-type': type }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const bytes = (await response.body.bytes()).length;
    if (response.statusCode > 299) throw new Error(`${method} ${path} answered ${response.statusCode}`);
    return bytes;
  }

  /** Returns requests per second with one request in progress per connection, and the latency of each in ms. */
  async run(count: number, each: (i: number) => Promise<unknown>): Promise<{ perSecond: number; p99: number }> {
    let next = 0;
    const times: number[] = [];
    const began = performance.now();
    const worker = async () => {
      while (next < count) {
        const start = performance.now();
        await each(next++);
        times.push(performance.now() - start);
      }
    };
    await Promise.all(Array.from({ length: this.#connections }, worker));
    const seconds = (performance.now() - began) / 1000;
    times.sort((a, b) => a - b);
    return { perSecond: count / seconds, p99: times[Math.floor(times.length * 0.99)] ?? 0 };
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }
}
