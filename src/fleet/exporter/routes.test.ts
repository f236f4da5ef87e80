import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realClock } from '#platform/base/clock';
import { FakeClock } from '#platform/base/fake-clock';
import { noopLogger } from '#platform/base/logger';
import { type HttpServer, startHttpServer } from '#platform/runtime/http/http-server';
import { Exposition } from './exposition.ts';
import { InMemoryFleet } from './in-memory-fleet.ts';
import { exporterRoutes, formatRejection } from './routes.ts';

const vm = (id: string, cpu: number, memory: number) => ({ id, cpu_consumption: cpu, memory_consumption: memory });
const TWO = [
  { name: 'a', vms: [vm('x', 0.5, 0.25), vm('y', 0.25, 0.5)] },
  { name: 'b', vms: [{ id: 'z', cpu_cores: 8, memory_bytes: 2 ** 36, cpu_utilization: 0.5, memory_utilization: 0.5 }] },
];

describe('the exporter without a cluster', () => {
  let server: HttpServer;
  const clock = new FakeClock();
  beforeEach(async () => {
    const routes = exporterRoutes(new InMemoryFleet(clock));
    const refusal = formatRejection;
    server = await startHttpServer({ port: 0, clock: realClock, log: noopLogger, routes, refusal });
  });
  afterEach(() => server.close());

  const ask = async (path: string, body?: unknown) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(`${server.url}${path}`, body === undefined ? {} : { method: 'POST', body: text });
    const type = response.headers.get('content-type') ?? '';
    return { status: response.status, body: type.includes('json') ? await response.json() : await response.text() };
  };
  const metric = async (line: string) => {
    const text = (await ask('/metrics')).body as string;
    return Number(
      text
        .split('\n')
        .find((each) => each.startsWith(`${line} `))
        ?.split(' ')[1],
    );
  };

  it('reports that, and still responds', async () => {
    expect((await ask('/health')).body).toEqual({
      status: 'healthy',
      nodes: 0,
      pod_manager_enabled: false,
      k8s_client_ready: false,
      warning: 'Running without pod management - metrics will be calculated from VMs directly',
    });
    expect(await ask('/scenario', { nodes: TWO })).toEqual({
      status: 200,
      body: { status: 'success', nodes_loaded: 2, total_vms: 3, unschedulable: [] },
    });
    expect(await metric('node_cpu_usage_ratio{node="a"}')).toBe(0.75);
    expect(await metric('node_memory_usage_ratio{node="a"}')).toBe(0.75);
    // 0.75 - 0.7, which is more than 0.049
    expect(await metric('node_cpu_pressure_psi{node="a"}')).toBeCloseTo(0.05, 9);
    expect(await metric('node_cpu_usage_ratio{node="b"}')).toBe(0.125);
    expect(await metric('node_memory_MemAvailable_bytes{instance="b"}')).toBe(2 ** 37 - 2 ** 35);
    await clock.advance(2_000);
    expect(await metric('node_cpu_seconds_total{instance="b",mode="user"}')).toBeCloseTo(8, 9);
    expect((await ask('/refresh', '')).body).toEqual({
      status: 'success',
      refreshed: ['a', 'b'],
      failed: [],
      total: 2,
    });
  });

  it('accepts its own output, and has each node', async () => {
    await ask('/scenario', TWO);
    const { body } = await ask('/scenario');
    expect((await ask('/scenario', body)).status).toBe(200);
    expect((await ask('/scenario')).body).toEqual(body);
    expect((await ask('/nodes/a')).body).toMatchObject({ name: 'a', cpu_usage: 0.75, vms: [{ id: 'x' }, { id: 'y' }] });
    expect((await ask('/nodes/%E0%A4%A')).status).toBe(404);
    expect((await ask('/nodes/c')).status).toBe(404);
  });

  it('places VMs on the nodes of their scheduler', async () => {
    const moved = [{ name: 'a', vms: [{ ...vm('x', 0.5, 0.1), scheduled_node: 'b' }] }, { name: 'b' }];
    await ask('/scenario', moved);
    expect([await metric('node_vm_count{node="a"}'), await metric('node_vm_count{node="b"}')]).toEqual([0, 1]);
  });

  it('loads one scenario of several by its name', async () => {
    const several = { first: TWO, second: [{ name: 'c' }] };
    expect((await ask('/scenario?name=second', several)).body).toMatchObject({ nodes_loaded: 1, total_vms: 0 });
    expect((await ask('/scenario', several)).body).toMatchObject({ status: 'error' });
    expect((await ask('/scenario?name=third', several)).status).toBe(400);
  });

  it.each<[string, unknown, string[]]>([
    ['invalid JSON', '{', ['']],
    ['an object instead of a list', { nodes: 1 }, ['nodes']],
    [
      'several errors at once',
      { nodes: [{ vms: [vm('x', -1, 2)] }] },
      ['nodes[0].name', 'nodes[0].vms[0].cpu_consumption', 'nodes[0].vms[0].memory_consumption'],
    ],
    ['a usage above 1 without VMs', [{ name: 'a', cpu_usage: 7 }], ['[0].cpu_usage']],
    [
      'errors of every kind at once',
      [{ name: 'a', cpu_usage: 'x', vms: [vm('A_b', -1, 0.1), { ...vm('c', 0.1, 0.1), scheduled_node: 'z' }] }],
      ['[0].cpu_usage', '[0].vms[0].cpu_consumption', '[0].vms[1].scheduled_node', '[0].vms[0].id'],
    ],
    ['an invalid VM name', [{ name: 'a', vms: [vm('A_b', 0.1, 0.1)] }], ['[0].vms[0].id']],
  ])('rejects %s, and changes nothing', async (_what, body, fields) => {
    await ask('/scenario', TWO);
    const before = (await ask('/scenario')).body;
    const { status, body: refusal } = await ask('/scenario', body);
    expect(status).toBe(400);
    expect((refusal as { causes: { field: string }[] }).causes.map(({ field }) => field)).toEqual(fields);
    expect((await ask('/scenario')).body).toEqual(before);
  });

  it('moves VMs to nodes with enough memory, and reports why others stay', async () => {
    await ask('/scenario', [...TWO, { name: 'c', cpu_cores: 1, memory_bytes: 2 ** 30 }]);
    const move = (vm_id: string, from_node: string, to_node: string) => ({ vm_id, from_node, to_node });
    const migrations = [move('x', 'a', 'b'), move('z', 'a', 'b'), move('y', 'a', 'c'), move('w', 'a', 'd')];
    const { body } = await ask('/feedback', { migrations });
    const results = (body as { results: { actual_node: string; success: boolean; error: string | null }[] }).results;
    expect(results.map(({ actual_node, success, error }) => [actual_node, success, error])).toEqual([
      ['b', true, null],
      ['b', false, 'z is not on node a'],
      ['a', false, 'node c does not have enough memory for y'],
      ['', false, 'node d not found'],
    ]);
    expect(await metric('node_vm_count{node="b"}')).toBe(2);
    const counted = (result: string) => metric(`vimana_feedback_migrations_total{result="${result}"}`);
    const counts = ['as_suggested', 'elsewhere', 'not_moved', 'unplaced'].map(counted);
    expect(await Promise.all(counts)).toEqual([1, 0, 2, 1]);
  });

  it('chooses a node if none is named', async () => {
    await ask('/scenario', [...TWO, { name: 'c', cpu_cores: 1, memory_bytes: 2 ** 30 }]);
    const { body } = await ask('/feedback', { migrations: [{ vm_id: 'x', from_node: 'a' }] });
    expect(body).toEqual({
      success: true,
      moved: 1,
      results: [
        { vm_id: 'x', from_node: 'a', to_node: null, actual_node: 'b', success: true, as_suggested: true, error: null },
      ],
    });
    const none = { migrations: [{ vm_id: 'y', from_node: 'a', to_node: null }] };
    await ask('/scenario', [TWO[0], { name: 'c', cpu_cores: 1, memory_bytes: 2 ** 30 }]);
    expect((await ask('/feedback', none)).body).toMatchObject({
      success: false,
      moved: 0,
      results: [{ actual_node: 'a', success: false, error: 'no other node has enough memory for y' }],
    });
    expect((await ask('/feedback', { migrations: [] })).body).toEqual({ success: false, moved: 0, results: [] });
  });

  it('rejects invalid feedback', async () => {
    const fields = async (body: unknown) => {
      const response = await ask('/feedback', body);
      expect(response.status).toBe(400);
      return (response.body as { causes: { field: string }[] }).causes.map(({ field }) => field);
    };
    expect(await fields({})).toEqual(['migrations']);
    expect(await fields({ migrations: 'x' })).toEqual(['migrations']);
    expect(await fields({ migrations: [1, { vm_id: 'x', from_node: 2 }] })).toEqual([
      'migrations[0]',
      'migrations[1].from_node',
    ]);
    expect(await fields({ migrations: [{ vm_id: 'x', from_node: 'a', to_node: 'a' }] })).toEqual([
      'migrations[0].to_node',
    ]);
    const twice = { vm_id: 'x', from_node: 'a', to_node: 'b' };
    expect(await fields({ migrations: [twice, twice] })).toEqual(['migrations[1].vm_id']);
    expect(await fields({ migrations: [1], destinations: 'me' })).toEqual(['destinations', 'migrations[0]']);
  });

  it('rejects bodies that are too large', async () => {
    expect((await ask('/feedback', 'x'.repeat(4 * 1024 * 1024 + 1))).status).toBe(413);
  });

  it('reports unsupported requests in JSON', async () => {
    const error = (text: string) => ({ status: 'error', error: text });
    expect(await ask('/nothing')).toEqual({ status: 404, body: error('not found') });
    expect(await ask('/metrics', {})).toEqual({ status: 405, body: error('method not allowed') });
    expect(await ask('/refresh', 'x'.repeat(2 * 1024 * 1024))).toEqual({
      status: 413,
      body: error('the body is too large'),
    });
  });

  it('names no field if the whole input is wrong', async () => {
    const { body } = await ask('/scenario', '{');
    expect((body as { causes: { message: string }[] }).causes[0]?.message).toMatch(/^Invalid value: must be JSON/);
  });
});

it('metrics quote any node name', () => {
  const clock = new FakeClock();
  const fleet = new InMemoryFleet(clock);
  void fleet.replace({ name: 's', nodes: [{ name: 'a"\\\n', path: '', cpuCores: 1, memoryBytes: 1, vms: [] }] });
  expect(String(new Exposition().of(fleet.loads()))).toContain('node_vm_count{node="a\\"\\\\\\n"} 0\n');
});
