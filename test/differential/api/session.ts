import { Agent, request } from 'undici';
import { parse as parseYaml } from 'yaml';
import { realClock } from '#platform/base/clock';
import type { Step } from './step.ts';

/** A server with its address and an administrator's token. */
export interface Target {
  readonly name: string;
  readonly url: string;
  readonly token: string;
}

/** Unmodified response of a server. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly warnings: readonly string[];
  /** Parsed if it is JSON. For a watch, the list of its events. */
  readonly body: unknown;
}

/** Represents a connection that the server closed without a response, as kube-apiserver does when it panics. */
export const BROKEN_OFF: Answer = { status: 0, type: '', warnings: [], body: undefined };

interface Metadata {
  readonly name?: string;
  readonly namespace?: string;
  readonly generateName?: string;
  readonly resourceVersion?: string;
  readonly uid?: string;
  readonly continue?: string;
}

const TIMEOUT = 5_000;
/** Prefix that the server uses of a generateName. */
const MAX_PREFIX_LENGTH = 58;
const SUBRESOURCE = /\/(status|scale|finalize|approval|resize|ephemeralcontainers)$/;

/** Session of a sequence with one server. Earlier responses fill the placeholders in later requests. */
export class Session {
  readonly target: Target;
  readonly namespace: string;
  /** Values of generateName that were requested. */
  readonly prefixes = new Set<string>(['kube-api-access-']);
  readonly #agent: Agent;
  readonly #versions = new Map<string, string[]>();
  readonly #uids = new Map<string, string>();
  /** Last generated name of each prefix. */
  readonly #made = new Map<string, string>();
  #continue = 'none';
  #listed = '0';

  constructor(target: Target, namespace: string, agent: Agent) {
    this.target = target;
    this.namespace = namespace;
    this.#agent = agent;
  }

  async play(step: Step): Promise<Answer> {
    if (step.after !== undefined) await realClock.sleep(step.after);
    const prefix = (step.body as { metadata?: Metadata } | undefined)?.metadata?.generateName;
    if (typeof prefix === 'string' && prefix !== '') this.prefixes.add(prefix.slice(0, MAX_PREFIX_LENGTH));
    const url = new URL(this.#filled(step.path), this.target.url);
    for (const [key, value] of Object.entries(step.query ?? {})) url.searchParams.set(key, this.#filled(value));
    const stop = AbortSignal.timeout(TIMEOUT);
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
        signal: stop,
      });
      const type = String(headers['content-type'] ?? '');
      const warnings = [headers['warning'] ?? []].flat();
      if (step.until !== undefined && statusCode === 200) {
        const { until: wanted } = step;
        const name = typeof wanted === 'string' ? this.#filled(wanted) : '';
        const until = typeof wanted === 'string' ? (object: Told) => tellsOf(object, name) : wanted;
        return { status: statusCode, type, warnings, body: await eventsUntil(body, until, stop) };
      }
      const text = await body.text();
      const parsed = type.includes('json') ? parse(text) : type.includes('yaml') ? parseYaml(text) : text;
      this.#remember(step, url.pathname, statusCode, parsed);
      return { status: statusCode, type, warnings, body: parsed };
    } catch (error) {
      if ((error as { code?: string }).code !== 'UND_ERR_SOCKET') throw error;
      return BROKEN_OFF;
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

/** Returns the events of a watch up to the one with such an object, or fewer after a timeout. */
async function eventsUntil(
  body: AsyncIterable<Buffer>,
  until: (object: Told) => boolean,
  stop: AbortSignal,
): Promise<unknown[]> {
  const events: unknown[] = [];
  let rest = '';
  try {
    for await (const chunk of body) {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines.filter((each) => each !== '')) {
        const { object, ...event } = parse(line) as { object?: Told };
        events.push({ ...event, object });
        if (object !== undefined && until(object)) return events;
      }
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  }
  return events;
}

/** Returns the object of an event, or the metadata in the row of a table. */
interface Told {
  readonly metadata?: Metadata;
  readonly rows?: readonly { readonly object?: { readonly metadata?: Metadata } }[];
}

function tellsOf({ metadata, rows = [] }: Told, name: string): boolean {
  return metadata?.name === name || rows.some(({ object }) => object?.metadata?.name === name);
}

/** Connections to servers with certificates of unknown authorities. A closed connection affects only one request. */
export function connections(): Agent {
  return new Agent({ connect: { rejectUnauthorized: false }, connections: 4, pipelining: 1, allowH2: false });
}
