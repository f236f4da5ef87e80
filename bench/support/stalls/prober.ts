import { connect } from 'node:http2';
import { setPriority } from 'node:os';
import type { ProbeOrder, ProbeResult } from './messages.ts';

/** A request without a response by then is canceled. */
const DEADLINE_MS = 30_000;
/** High priority, since a prober that waits for a CPU would mistake that for a slow server. */
const FIRST_OF_ALL = -15;

process.once('message', (order: ProbeOrder) => {
  try {
    setPriority(FIRST_OF_ALL);
  } catch {
    // Only an administrator may raise the priority.
  }
  void probe(order).then((result) => process.send?.(result, () => process.exit(0)));
});

/** Sends requests at fixed times, whether or not earlier ones have received a response. */
async function probe({ connection, namespace, seconds, perSecond }: ProbeOrder): Promise<ProbeResult> {
  const { url, ca, cert, key } = connection;
  const session = connect(url, { ca, cert, key });
  session.on('error', () => undefined);
  const base = `/api/v1/namespaces/${namespace}`;
  const requests = [
    () => ({ ':path': `${base}/configmaps/probe-0` }),
    () => ({ ':path': `${base}/configmaps?labelSelector=probe` }),
    (at: number) => ({ ':path': `${base}/configmaps`, ':method': 'POST', name: `new-${at}` }),
    () => ({ ':path': '/readyz' }),
  ] as const;
  const milliseconds: number[] = [];
  const failures: Record<string, number> = {};
  const began = performance.now();
  const total = seconds * perSecond;
  const answers: Promise<void>[] = [];
  const send = (at: number, due: number): Promise<void> =>
    new Promise((resolve) => {
      const { name, ...headers } = (requests[at % requests.length] as (at: number) => { name?: string })(at);
      const stream = session.request({ ...headers, 'content-type': 'application/json', accept: 'application/json' });
      let status = 0;
      const done = () => {
        clearTimeout(timer);
        if (status < 200 || status > 299) failures[status] = (failures[status] ?? 0) + 1;
        milliseconds.push(status === 0 ? DEADLINE_MS : performance.now() - due);
        resolve();
      };
      const timer = setTimeout(() => stream.close(), DEADLINE_MS);
      stream.on('response', (answer) => (status = Number(answer[':status'])));
      stream.on('error', () => undefined);
      stream.on('close', done);
      stream.resume();
      stream.end(name && JSON.stringify({ metadata: { name, labels: { made: 'yes' } }, data: { key: 'value' } }));
    });
  await new Promise<void>((resolve) => {
    let next = 0;
    const tick = (): void => {
      for (; next < total; next++) {
        const due = began + (next * 1000) / perSecond;
        if (due > performance.now()) break;
        answers.push(session.destroyed ? lost(milliseconds, failures) : send(next, due));
      }
      if (next < total) setTimeout(tick, 1);
      else resolve();
    };
    tick();
  });
  await Promise.all(answers);
  session.destroy();
  return { milliseconds, failures };
}

function lost(milliseconds: number[], failures: Record<string, number>): Promise<void> {
  milliseconds.push(DEADLINE_MS);
  failures['0'] = (failures['0'] ?? 0) + 1;
  return Promise.resolve();
}
