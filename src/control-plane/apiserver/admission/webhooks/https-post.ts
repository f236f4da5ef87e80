import { isIP } from 'node:net';
import { Agent } from 'undici';
import type { Clock } from '#platform/base/clock';
import type { Destination, HttpsPost } from '../../webhook-post.ts';
import { connectionProblem } from './connection-problem.ts';

/** Maximum size of a response, which holds a patch at most. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
const MAX_AGENTS = 256;

/** Creates a client that keeps connections open between calls, with one pool for each destination and authority. */
export function httpsPost(clock: Clock, ending: AbortSignal): HttpsPost {
  const agents = new Map<string, Agent>();
  ending.addEventListener('abort', () => {
    for (const agent of agents.values()) void agent.destroy();
    agents.clear();
  });
  return async (destination, body, timeoutSeconds, signal) => {
    const target = new URL(destination.url);
    target.searchParams.set('timeout', `${timeoutSeconds}s`);
    const over = new AbortController();
    using _timer = clock.timer(timeoutSeconds * 1000, () => over.abort());
    try {
      const response = await agentFor(agents, destination).request({
        origin: destination.origin,
        path: `${target.pathname}${target.search}`,
        method: 'POST',
        headers: {
          host: target.host,
          'content-type': 'application/json',
          accept: 'application/json, */*',
          'user-agent': 'kube-apiserver-admission',
        },
        body,
        signal: AbortSignal.any([signal, over.signal]),
      });
      return { status: response.statusCode, text: await textOf(response.body) };
    } catch (error) {
      const why = over.signal.aborted ? 'context deadline exceeded' : connectionProblem(error, destination);
      throw new Error(`Post ${JSON.stringify(target.href)}: ${why}`, { cause: error });
    }
  };
}

function agentFor(agents: Map<string, Agent>, { origin, serverName, ca }: Destination): Agent {
  const key = `${origin} ${serverName} ${ca ?? ''}`;
  const known = agents.get(key);
  if (known !== undefined) return known;
  const agent = new Agent({
    connect: { ...(ca === undefined ? {} : { ca }), ...(isIP(serverName) === 0 ? { servername: serverName } : {}) },
    pipelining: 1,
  });
  const [oldest] = agents.keys();
  if (agents.size >= MAX_AGENTS && oldest !== undefined) {
    void agents.get(oldest)?.close();
    agents.delete(oldest);
  }
  agents.set(key, agent);
  return agent;
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > MAX_RESPONSE_BYTES) throw new Error(`the response is larger than ${MAX_RESPONSE_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
