import { realClock } from '#platform/base/clock';
import type { Random } from '#platform/base/random';
import { waitUntil } from '#testing/wait';
import type { AttackedServer } from './attacked-server.ts';
import { attack, collectionOf, type Ground } from './attacks.ts';
import { Http1Connection, type RawAnswer, type RawRequest, wireOf } from './http1-connection.ts';
import { Http2Connection } from './http2-connection.ts';
import { definitionSeed, seedsOf } from './seeds.ts';
import { verdict } from './verdict.ts';

/** Sends a request. Returns undefined if the connection was closed without a response. */
type Ask = (request: RawRequest) => Promise<RawAnswer | undefined>;

export interface Outcome {
  readonly answered: number;
  readonly closed: number;
  readonly statuses: ReadonlyMap<number, number>;
  /** A problem with the request that revealed it. */
  readonly problems: readonly string[];
}

const AT_ONCE = 4;
const TIMEOUT = 60_000;
const MAX_PROBLEMS = 10;

/** Sends `count` requests over `protocol` to objects of their own namespace. */
export async function campaign(
  server: AttackedServer,
  random: Random,
  protocol: 'HTTP/1.1' | 'HTTP/2',
  count: number,
): Promise<Outcome> {
  const ground = await prepare(server, `fuzz-${random.suffix()}`);
  const statuses = new Map<number, number>();
  const problems: string[] = [];
  let [left, closed, answered] = [count, 0, 0];
  const worker = async (): Promise<void> => {
    const { ask, end } = protocol === 'HTTP/2' ? overHttp2(server.port) : overHttp1(server.port);
    while (left-- > 0 && problems.length < MAX_PROBLEMS) {
      const request = attack(random, ground);
      const answer = await patiently(ask(request));
      const problem = answer === 'late' ? 'no answer' : answer && verdict(request, answer);
      if (problem !== undefined) problems.push(`${shown(request)}\n  -> ${problem}`);
      if (answer === undefined || answer === 'late') closed++;
      else {
        answered++;
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      }
    }
    end();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { answered, closed, statuses, problems };
}

/** Keeps a connection as long as the server does. A request on a closed connection is sent again on a new one. */
export function overHttp1(port: number): { readonly ask: Ask; readonly end: () => void } {
  let connection: Http1Connection | undefined;
  const ask: Ask = async (request) => {
    for (const last of [false, true]) {
      if (connection === undefined || connection.closed || last) {
        connection?.close();
        connection = await Http1Connection.open(port);
      }
      connection.write(wireOf(request));
      const answer = await connection.answer(request.method);
      if (answer !== undefined) return answer;
    }
    return undefined;
  };
  return { ask, end: () => connection?.close() };
}

function overHttp2(port: number): { readonly ask: Ask; readonly end: () => void } {
  let connection: Http2Connection | undefined;
  const ask: Ask = async (request) => {
    if (connection === undefined || connection.closed) connection = new Http2Connection(port);
    return await connection.ask(request);
  };
  return { ask, end: () => connection?.close() };
}

async function patiently<T>(answer: Promise<T>): Promise<T | 'late'> {
  const stop = new AbortController();
  const late = realClock.sleep(TIMEOUT, stop.signal).then(
    () => 'late' as const,
    () => 'late' as const,
  );
  try {
    return await Promise.race([answer, late]);
  } finally {
    stop.abort();
  }
}

/** Creates a namespace with an object of every kind, and the CRD of custom ones. */
async function prepare({ port, token }: AttackedServer, namespace: string): Promise<Ground> {
  const group = `${namespace}.example.com`;
  const { ask, end } = overHttp1(port);
  const create = async (target: string, object: unknown): Promise<number> => {
    const headers = [
      ['authorization', `Bearer ${token}`],
      ['content-type', 'application/json'],
    ] as const;
    const body = Buffer.from(JSON.stringify(object));
    const answer = await ask({ method: 'POST', target, headers, body });
    const { status = 0 } = answer ?? {};
    // Reviews are not stored, and cluster-scoped objects exist from the batch before.
    if (status !== 201 && status !== 409) throw new Error(`${target} answered ${status}: ${answer?.body}`);
    return status;
  };
  await create('/api/v1/namespaces', { metadata: { name: namespace } });
  await create(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'default' } });
  const definition = definitionSeed(group);
  await create(collectionOf(definition, ''), definition.body);
  await untilServed(ask, token, `/apis/${group}/v1`);
  const seeds = seedsOf(namespace, group);
  for (const seed of seeds) if (seed.dry !== true) await create(collectionOf(seed, namespace), seed.body);
  end();
  return { namespace, seeds, token };
}

async function untilServed(ask: Ask, token: string, target: string): Promise<void> {
  const headers = [['authorization', `Bearer ${token}`]] as const;
  await waitUntil(async () => (await ask({ method: 'GET', target, headers, body: Buffer.alloc(0) }))?.status === 200);
}

function shown({ method, target, headers, body }: RawRequest): string {
  const said = headers.filter(([name]) => name !== 'authorization').map((header) => header.join(': ').slice(0, 100));
  return `${method} ${target.slice(0, 500)}\n  ${said.join('\n  ')}\n  ${body.toString('latin1').slice(0, 1_500)}`;
}
