import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realClock } from '#platform/base/clock';
import { noopLogger } from '#platform/base/logger';
import { PODS } from '#platform/kube/kinds/pod';
import type { PodExplanation } from '#platform/kube/kinds/pod-explanation';
import { type HttpServer, startHttpServer } from '#platform/runtime/http/http-server';
import { type CommandHarness, startCommandHarness } from '#testing/command-harness';
import { explanationsRoute } from './explanations.ts';

describe('the explanation of a pod', () => {
  let harness: CommandHarness;
  let server: HttpServer;
  let pod: string;
  const ask = async (path: string) => {
    const response = await fetch(`${server.url}${path}`);
    return { status: response.status, type: response.headers.get('content-type'), body: await response.json() };
  };

  beforeAll(async () => {
    harness = await startCommandHarness();
    const routes = [explanationsRoute(harness.embedded.explanations)];
    server = await startHttpServer({ port: 0, routes, clock: realClock, log: noopLogger });
    await harness.run(['vm', 'create', 'web', '--group', 'kubevirt.io', '--wait']);
    const { items } = await harness.admin.list(PODS, { namespace: 'default' });
    pod = items[0]?.metadata.name ?? '';
  });
  afterAll(async () => {
    await server.close();
    await harness.stop();
  });

  it('is the same over HTTP, in the API and in vimana explain', async () => {
    const { status, type, body } = await ask(`/explain/default/${pod}`);
    expect([status, type]).toEqual([200, 'application/json']);
    const path = `/apis/scheduling.vimana.io/v1alpha1/namespaces/default/podexplanations/${pod}`;
    expect(body).toEqual(JSON.parse(await harness.admin.raw(path)));
    const { attempts } = body as PodExplanation;
    expect(attempts.at(-1)?.node).toMatch(/^kwok-node-\d$/);
    expect(attempts.at(-1)?.nodes.map(({ suits }) => suits)).toEqual([true, true]);
    const reported = await harness.run(['explain', 'pod', pod, '--all', '-o', 'json']);
    expect(JSON.parse(reported.out)).toEqual(attempts);
    expect((await harness.run(['explain', 'pod', pod])).out).toContain(`placed on ${attempts.at(-1)?.node ?? ''}`);
  });

  it.each([
    ['/explain/default/nobody', 'no scheduling attempt for pod "default/nobody" is recorded'],
    ['/explain/default', 'the path must be /explain/NAMESPACE/POD'],
    ['/explain/', 'the path must be /explain/NAMESPACE/POD'],
    ['/explain/default/web/more', 'the path must be /explain/NAMESPACE/POD'],
  ])('is an error for %s', async (path, message) => {
    expect(await ask(path)).toEqual({ status: 404, type: 'application/json', body: { message } });
  });
});
