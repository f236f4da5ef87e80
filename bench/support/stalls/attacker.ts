import { connect } from 'node:http2';
import { Agent, request } from 'undici';
import { COSTLY_ATTACKS, type CostlyRequest } from '../../../test/attacks/support/costly-requests.ts';
import type { AttackOrder, AttackResult, Connection } from './messages.ts';

/** Number of streams of one HTTP/2 session. */
const STREAMS = 100;
const BYTE_EVERY_MS = 1_000;

process.once('message', (order: AttackOrder) => {
  void attack(order).then((result) => process.send?.(result, () => process.exit(0)));
});

async function attack({ connection, attack: name, seconds }: AttackOrder): Promise<AttackResult> {
  const found = COSTLY_ATTACKS.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no attack is called ${name}`);
  const { manner = 'at once', everyMs = 0 } = found;
  const burst = found.burst();
  process.send?.('ready');
  const end = performance.now() + seconds * 1000;
  const statuses: Record<string, number> = {};
  const count = (status: number): void => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  if (manner === 'bodies byte by byte') {
    slowly(connection, burst, count);
    await until(end);
    return statuses;
  }
  const { ca, cert, key } = connection;
  const dispatcher = new Agent({ connect: { ca, cert, key }, allowH2: false, headersTimeout: 0, bodyTimeout: 0 });
  const send = async (one: CostlyRequest): Promise<void> => {
    try {
      const { method, path, body, contentType = 'application/json', headers = {} } = one;
      const response = await request(new URL(path, connection.url), {
        dispatcher,
        method: method as 'GET',
        headers: { ...(body === undefined ? {} : { 'content-type': contentType }), ...headers },
        ...(body === undefined ? {} : { body: body as string | Uint8Array }),
      });
      count(response.statusCode);
      for await (const _ of response.body);
    } catch {
      count(0);
    }
  };
  const lasting = manner === 'watches' ? burst.filter(({ method }) => method === 'GET') : [];
  const repeated = manner === 'watches' ? burst.filter(({ method }) => method !== 'GET') : burst;
  for (const one of lasting) void send(one);
  while (performance.now() < end) {
    const began = performance.now();
    await Promise.race([Promise.all(repeated.map(send)), until(end)]);
    await until(Math.min(end, began + everyMs));
  }
  return statuses;
}

/** Starts all requests, and sends a byte of each body now and then. */
function slowly({ url, ca, cert, key }: Connection, burst: readonly CostlyRequest[], count: (status: number) => void) {
  const open = (): void => {
    for (let at = 0; at < burst.length; at += STREAMS) {
      const session = connect(url, { ca, cert, key });
      session.on('error', () => undefined);
      for (const one of burst.slice(at, at + STREAMS)) begin(session, one);
    }
  };
  const begin = (session: ReturnType<typeof connect>, one: CostlyRequest): void => {
    if (session.destroyed || session.closed) return;
    const body = one.body as string;
    const stream = session.request({ ':method': one.method, ':path': one.path, 'content-type': 'application/json' });
    let next = 0;
    const timer = setInterval(() => stream.write(body[next++] ?? ' '), BYTE_EVERY_MS);
    stream.on('response', (answer) => count(Number(answer[':status'])));
    stream.on('error', () => undefined);
    stream.on('close', () => {
      clearInterval(timer);
      setTimeout(() => begin(session, one), BYTE_EVERY_MS);
    });
    stream.resume();
  };
  open();
}

const until = (moment: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(moment - performance.now(), 0)));
