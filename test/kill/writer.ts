import { createHash } from 'node:crypto';
import { type Dispatcher, request } from 'undici';
import type { Random } from '#platform/base/random';
import type { DurableServer } from './durable-server.ts';

export const COLLECTION = '/api/v1/namespaces/default/configmaps';

/** Known state of an object: a version and a number, or nothing. */
export interface Known {
  readonly version: number;
  /** Undefined if the object was deleted. */
  readonly number: number | undefined;
}

export interface ConfigMap {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** Data that shows whether it is complete and who wrote it. */
export function sealed(name: string, number: number, size: number): Record<string, string> {
  const padding = 'ü'.repeat(size);
  const seal = createHash('sha1').update(`${name} ${number} ${padding}`).digest('hex');
  return { number: String(number), padding, seal };
}

/** Reports whether an object is as a writer once wrote it, not a mixture. */
export function isWhole({ metadata, data = {} }: ConfigMap): boolean {
  const { number = '', padding = '' } = data;
  return JSON.stringify(data) === JSON.stringify(sealed(metadata.name, Number(number), padding.length));
}

/** Writes its own objects, one after the other, and records what was acknowledged. */
export class Writer {
  /** Last acknowledged state of each object. */
  readonly known = new Map<string, Known>();
  /** Every acknowledged version with its content. */
  readonly acknowledged: { readonly name: string; readonly version: number; readonly number: number }[] = [];
  /** Write in progress when the connection broke. It may have been stored or not. */
  pending: { readonly name: string; readonly number: number | undefined } | undefined;
  readonly #names: readonly string[];
  readonly #random: Random;
  #count = 0;
  /** Number of acknowledged writes. */
  acknowledgedInAll = 0;

  constructor(id: number, random: Random) {
    this.#names = Array.from({ length: 12 }, (_, i) => `w${id}-${i}`);
    this.#random = random;
  }

  /** Writes until the server is killed. Throws if the server rejects a write. */
  async writeUntilGone(server: DurableServer, dispatcher: Dispatcher, onAcknowledged: () => void): Promise<void> {
    for (;;) {
      const name = this.#random.pick(this.#names);
      const before = this.known.get(name)?.number;
      const number = before !== undefined && this.#random.next() < 0.2 ? undefined : ++this.#count;
      this.pending = { name, number };
      const answer = await this.#send(server, dispatcher, name, number, before !== undefined).catch(() => undefined);
      if (answer === undefined) return;
      const { status, object } = answer;
      if (status > 299) throw new Error(`a write of ${name} was answered ${status}: ${JSON.stringify(object)}`);
      const version = number === undefined ? (this.known.get(name)?.version ?? 0) : versionOf(object);
      this.known.set(name, { version, number });
      if (number !== undefined) this.acknowledged.push({ name, version, number });
      this.acknowledgedInAll++;
      this.pending = undefined;
      onAcknowledged();
    }
  }

  async #send(
    server: DurableServer,
    dispatcher: Dispatcher,
    name: string,
    number: number | undefined,
    exists: boolean,
  ) {
    const data = number === undefined ? undefined : sealed(name, number, this.#random.int(0, 2_000));
    const method = data === undefined ? 'DELETE' : exists ? 'PATCH' : 'POST';
    const answer = await request(`${server.url}${COLLECTION}${exists ? `/${name}` : ''}`, {
      dispatcher,
      method,
      headers: {
        authorization: `Bearer ${server.token}`,
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      },
      body: data === undefined ? null : JSON.stringify({ metadata: { name }, data }),
    });
    return { status: answer.statusCode, object: (await answer.body.json()) as ConfigMap };
  }
}

export function versionOf({ metadata }: Pick<ConfigMap, 'metadata'>): number {
  return Number(metadata.resourceVersion);
}
