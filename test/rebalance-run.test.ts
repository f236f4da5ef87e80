import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Exposition } from '#fleet/exporter/exposition';
import { InMemoryFleet } from '#fleet/exporter/in-memory-fleet';
import { exporterRoutes } from '#fleet/exporter/routes';
import { readFleetSpec } from '#fleet/exporter/scenario-request';
import { generate } from '#fleet/rebalance/generate';
import { realClock } from '#platform/base/clock';
import { FakeClock } from '#platform/base/fake-clock';
import { noopLogger } from '#platform/base/logger';
import { seededRandom } from '#platform/base/random';
import { startHttpServer } from '#platform/runtime/http/http-server';
import { reportedError } from '#programs/cli/failure';
import type { Io } from '#programs/cli/io';
import { rebalanceCommand } from '#programs/cli/rebalance/command';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** An exporter on paper, with a mixed load. */
async function startExporter() {
  const fleet = new InMemoryFleet(new FakeClock());
  const { name, nodes } = generate({ load: 'mixed' }, seededRandom(1));
  await fleet.replace(readFleetSpec({ [name]: nodes }, name));
  const routes = exporterRoutes(fleet);
  const server = await startHttpServer({ port: 0, clock: realClock, log: noopLogger, routes });
  closing.push(() => server.close());
  return { fleet, url: server.url };
}

async function serve(answer: RequestListener): Promise<string> {
  const server: Server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => (server.closeAllConnections(), server.close()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A Prometheus that scrapes on every third look at it, and whose clock moves on by a second with each. */
async function startPrometheus(fleet: InMemoryFleet) {
  let [now, scrapedAt, looks] = [1_000, 0, 0];
  let scraped: readonly string[] = [];
  const url = await serve((request, response) => {
    now++;
    const query = new URL(request.url ?? '', 'http://p').searchParams.get('query') ?? '';
    if (query.startsWith('scalar(')) {
      if (++looks % 3 === 0) {
        scraped = String(new Exposition().of(fleet.loads())).split('\n');
        scrapedAt = now;
      }
      const oldest = scraped.length === 0 ? 'NaN' : String(scrapedAt);
      response.end(JSON.stringify({ data: { result: [now, oldest] } }));
      return;
    }
    const result = scraped.flatMap((line) => {
      const [, __name__, node, value] = /^(node_\w+)\{node="(.+?)"\} (.+)$/.exec(line) ?? [];
      return __name__ !== undefined && /_(ratio|psi)$/.test(__name__)
        ? [{ metric: { __name__, node }, value: [now, value] }]
        : [];
    });
    response.end(JSON.stringify({ data: { result } }));
  });
  return { url: url.replace('//', '//me:secret@'), scrapes: () => Math.floor(looks / 3) };
}

async function run(...args: string[]) {
  let [out, err] = ['', ''];
  const io: Io = {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    read: () => '',
    manifestsAt: (path) => [path],
  };
  // Nobody waits in vain for what happens on its own.
  const clock = Object.assign(new FakeClock(), { sleep: async () => {} });
  const { signal } = new AbortController();
  let code = 0;
  try {
    const command = rebalanceCommand({ io, clock, interrupted: () => signal, findExporter: async () => undefined });
    await command.exitOverride().parseAsync(['run', ...args], { from: 'user' });
  } catch (error) {
    code = reportedError(error, io, { debug: true });
  }
  return { out, err, code };
}

describe('vimana rebalance run', () => {
  it('rebalances the fleet of an exporter, and prints each step', async () => {
    const { fleet, url } = await startExporter();
    const { out, code } = await run('--exporter', url);
    expect(code).toBe(0);
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^step 1: \d of 12 nodes are overloaded \(kwok-node-\d+ 0\.\d\d, .*CPU sigma 0\.\d{3}/);
    expect(lines[1]).toMatch(/^ {2}vm-\d+ from kwok-node-\d+ to kwok-node-\d+$/);
    expect(lines.at(-1)).toMatch(/^converged: no node is overloaded \(\d+ steps, (\d+) VMs migrated, \1 of them/);
    expect(fleet.vmsOn('kwok-node-1').length).toBeGreaterThan(0);
    expect((await run('--exporter', url)).out).toMatch(/^step 1: 0 of 12 nodes .*\nconverged: .*\(0 steps/);
  });

  it('prints what a step would do, and does nothing, on a dry run', async () => {
    const { fleet, url } = await startExporter();
    const before = fleet.loads().map(({ vms }) => vms);
    const { out, code } = await run('--exporter', url, '--dry-run', '--per-step', '3', '-o', 'json');
    const { outcome, steps } = JSON.parse(out);
    expect([code, outcome, steps.length, steps[0].moves.length]).toEqual([1, 'dry run', 1, 3]);
    expect(steps[0].moves[0]).toEqual({
      vm_id: expect.stringMatching(/^vm-/),
      from_node: expect.any(String),
      to_node: expect.any(String),
    });
    expect(fleet.loads().map(({ vms }) => vms)).toEqual(before);
  });

  it('exits with a special code if the steps do not suffice', async () => {
    const { url } = await startExporter();
    const { out, code } = await run('--exporter', url, '--steps', '1', '-o', 'csv');
    expect(code).toBe(1);
    const [head, ...rows] = out.trimEnd().split('\n');
    expect(head).toBe('step,vm_id,from_node,to_node,actual_node,success,as_suggested,error');
    expect(rows).toHaveLength(5);
    expect(rows[0]).toMatch(/^1,vm-\d+,kwok-node-\d+,(kwok-node-\d+),\1,true,true,$/);
  });

  it('uses metrics of Prometheus, and only those scraped after each step', async () => {
    const { fleet, url } = await startExporter();
    const prometheus = await startPrometheus(fleet);
    const { out, code } = await run('--exporter', url, '--prometheus', prometheus.url, '-o', 'json');
    const { steps, outcome } = JSON.parse(out);
    expect([code, outcome]).toEqual([0, 'converged']);
    expect(prometheus.scrapes()).toBe(steps.length);
    // Old measures would send machines to where others have just gone.
    const direct = await startExporter();
    expect(JSON.parse((await run('--exporter', direct.url, '-o', 'json')).out).steps.length).toBe(steps.length);
  });

  it('gives up on a Prometheus that does not scrape', async () => {
    const { url } = await startExporter();
    let now = 0;
    const idle = await serve((_request, response) =>
      response.end(JSON.stringify({ data: { result: [now++, 'NaN'] } })),
    );
    const { err, code } = await run('--exporter', url, '--prometheus', idle, '--patience', '5s');
    expect([code, err]).toEqual([
      1,
      'error: Prometheus has no new metrics after 5s: there is no node_cpu_usage_ratio\nCheck that it scrapes the exporter. --patience sets how long to wait.\n',
    ]);
  });

  it.each([
    ['a response that is not JSON', 'hello', 'error: the exporter did not respond to /scenario with JSON: hello\n'],
    ['a response without nodes', '{}', 'is not a Vimana exporter: its response to /scenario has no nodes\n'],
  ])('reports that a server with %s is not an exporter', async (_what, text, told) => {
    const { err, code } = await run('--exporter', await serve((_request, response) => response.end(text)));
    expect([code, err]).toEqual([1, expect.stringContaining(told)]);
  });
});
