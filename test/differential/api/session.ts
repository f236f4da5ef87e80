import { Agent, request } from 'undici';
import { parse as parseYaml } from 'yaml';
import type { Step } from './step.ts';

/** A server to ask: its address and a token of an administrator. */
export interface Target {
  readonly name: string;
  readonly url: string;
  readonly token: string;
}

/** What a server said, as it said it. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly warnings: readonly string[];
  /** Parsed where it is JSON; of a watch, the list of its events. */
  readonly body: unknown;
}

interface Metadata {
  readonly name?: string;
  readonly namespace?: string;
  readonly generateName?: string;
  readonly resourceVersion?: string;
  readonly uid?: string;
  readonly continue?: string;
}

const PATIENCE = 5_000;
/** What the server takes of a generateName. */
const LONGEST_PREFIX = 58;
const SUBRESOURCE = /\/(status|scale|finalize|approval|resize|ephemeralcontainers)$/;

/** One server's side of a sequence: what it said before fills the places in later requests. */
export class Session {
  readonly target: Target;
  readonly namespace: string;
  /** Beginnings that the server was asked to make names from. */
  readonly prefixes = new Set<string>(['kube-api-access-']);
  readonly #agent: Agent;
  readonly #versions = new Map<string, string[]>();
  readonly #uids = new Map<string, string>();
  /** The last name that was made from each beginning. */
  readonly #made = new Map<string, string>();
  #continue = 'none';
  #listed = '0';

  constructor(target: Target, namespace: string, agent: Agent) {
    this.target = target;
    this.namespace = namespace;
    this.#agent = agent;
  }

  async play(step: Step): Promise<Answer> {
    if (step.after !== undefined) await new Promise((resolve) => setTimeout(resolve, step.after));
    const prefix = (step.body as { metadata?: Metadata } | undefined)?.metadata?.generateName;
    if (typeof prefix === 'string' && prefix !== '') this.prefixes.add(prefix.slice(0, LONGEST_PREFIX));
    const url = new URL(this.#filled(step.path), this.target.url);
    for (const [key, value] of Object.entries(step.query ?? {})) url.searchParams.set(key, this.#filled(value));
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), PATIENCE);
    try {
      const { statusCode, headers, body } = await request(url, {
        method: step.method as 'GET',
        dispatcher: this.#agent,
        headers: {
          authorization: `Bearer ${this.target.token}`,
          'user-agent': 'differential/1',
          accept: step.accept ?? 'application/json',
          ...(step.body === undefined ? {} : { 'content-type': step.contentType ?? 'application/json' }),
          ...(step.as === undefined ? {} : { 'impersonate-user': this.#filled(step.as) }),
        },
        ...(step.body === undefined
          ? {}
          : { body: this.#filled(typeof step.body === 'string' ? step.body : JSON.stringify(step.body)) }),
        signal: stop.signal,
      });
      const type = String(headers['content-type'] ?? '');
      const warnings = [headers['warning'] ?? []].flat();
      if (step.until !== undefined && statusCode === 200) {
        const until = this.#filled(step.until);
        return { status: statusCode, type, warnings, body: await eventsUntil(body, until, stop) };
      }
      const text = await body.text();
      const parsed = type.includes('json') ? parse(text) : type.includes('yaml') ? parseYaml(text) : text;
      this.#remember(step, url.pathname, statusCode, parsed);
      return { status: statusCode, type, warnings, body: parsed };
    } finally {
      clearTimeout(timer);
    }
  }

  #filled(text: string): string {
    if (!text.includes('⟦')) return text;
    return text.replaceAll(/⟦(\w+)(?: ([^ ⟧]+))?(?: (\d+))?⟧/gu, (_, what: string, about = '', back = '0') => {
      if (what === 'ns') return this.namespace;
      if (what === 'continue') return this.#continue;
      if (what === 'listed') return this.#listed;
      if (what === 'made') return this.#made.get(about) ?? 'never-made';
      const path = this.#filled(about.replaceAll('⟨', '⟦').replaceAll('⟩', '⟧'));
      if (what === 'uid') return this.#uids.get(path) ?? '00000000-0000-0000-0000-000000000000';
      return this.#versions.get(path)?.at(-1 - Number(back)) ?? '1';
    });
  }

  #remember({ method, query }: Step, pathname: string, status: number, body: unknown): void {
    if (status >= 300 || typeof body !== 'object' || body === null || !('metadata' in body)) return;
    const metadata = body.metadata as Metadata | null;
    if (metadata === null || typeof metadata !== 'object') return;
    const { name, generateName, uid, resourceVersion } = metadata;
    if (name === undefined) {
      this.#continue = metadata.continue ?? '';
      if (resourceVersion !== undefined) this.#listed = resourceVersion;
      return;
    }
    if (generateName !== undefined && name.startsWith(generateName) && method === 'POST') {
      this.#made.set(generateName, name);
    }
    if (query?.['dryRun'] !== undefined) return;
    const path = method === 'POST' ? `${pathname}/${name}` : pathname.replace(SUBRESOURCE, '');
    if (uid !== undefined && !this.#uids.has(path)) this.#uids.set(path, uid);
    const versions = this.#versions.get(path) ?? [];
    if (resourceVersion !== undefined && versions.at(-1) !== resourceVersion) versions.push(resourceVersion);
    this.#versions.set(path, versions);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The events of a watch up to the one that tells of an object of this name, or as many as came in time. */
async function eventsUntil(body: AsyncIterable<Buffer>, until: string, stop: AbortController): Promise<unknown[]> {
  const events: unknown[] = [];
  let rest = '';
  const timer = setTimeout(() => stop.abort(), 1_500);
  try {
    for await (const chunk of body) {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines.filter((each) => each !== '')) {
        const event = parse(line) as { object?: { metadata?: Metadata } };
        events.push(event);
        if (event.object?.metadata?.name === until) return events;
      }
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
  return events;
}

/** Connections to servers whose certificates nobody signed that we know. */
export function connections(): Agent {
  return new Agent({ connect: { rejectUnauthorized: false }, connections: 4, pipelining: 1 });
}
