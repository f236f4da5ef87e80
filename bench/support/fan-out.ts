import { type ClientHttp2Session, connect } from 'node:http2';
import type { Target } from './target.ts';

const SESSIONS = 10;
const WATCHERS = 1_000;
const WRITES = 20;
const PATH = '/api/v1/namespaces/default/configmaps';

export interface FanOut {
  readonly first: number;
  /** Maximum of the subsequent writes. */
  readonly worst: number;
  readonly middle: number;
}

/** Measures the time from sending one write to its arrival at the last of 1,000 watches over HTTPS, in ms. */
export async function fanOut({ url, token }: Target): Promise<FanOut> {
  const authorization = `Bearer ${token}`;
  const sessions = Array.from({ length: SESSIONS }, () => connect(url, { rejectUnauthorized: false }));
  let waiting = 0;
  let done = () => {};
  const arrived = () => {
    if (--waiting === 0) done();
  };
  await Promise.all(Array.from({ length: WATCHERS }, (_, i) => watch(sessions[i % SESSIONS]!, authorization, arrived)));
  const times: number[] = [];
  for (let i = 0; i < WRITES; i++) {
    waiting = WATCHERS;
    const all = new Promise<void>((resolve) => {
      done = resolve;
    });
    const began = performance.now();
    const write = sessions[0]!.request({
      ':method': 'POST',
      ':path': PATH,
      authorization,
      'content-type': 'application/json',
    });
    write.resume();
    write.end(JSON.stringify({ metadata: { name: `watched-${i}` }, data: { padding: 'x'.repeat(850) } }));
    await all;
    times.push(performance.now() - began);
  }
  for (const session of sessions) session.destroy();
  const [first = 0, ...rest] = times;
  rest.sort((a, b) => a - b);
  return { first, worst: rest.at(-1) ?? 0, middle: rest[WRITES / 2] ?? 0 };
}

/** Resolves when the watch is established. Each line that follows is one event. */
function watch(session: ClientHttp2Session, authorization: string, onEvent: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':path': `${PATH}?watch=true&resourceVersion=1`, authorization });
    stream.on('response', () => resolve());
    stream.on('error', reject);
    stream.on('data', (chunk: Buffer) => {
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) onEvent();
    });
  });
}
