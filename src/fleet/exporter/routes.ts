import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '#platform/runtime/http/body';
import type { Route } from '#platform/runtime/http/route';
import { EXPOSITION_TYPE, Exposition } from './exposition.ts';
import { readFeedback } from './feedback-request.ts';
import { type FleetBackend, RejectedError } from './fleet-backend.ts';
import { formatCause } from './format-cause.ts';
import { formatNode } from './format-node.ts';
import { MoveCounters } from './move-counters.ts';
import type { NodeLoad } from './node-load.ts';
import { readFleetSpec } from './scenario-request.ts';

/** Message of an exporter without a cluster. Users search for this exact wording. */
export const IN_MEMORY = 'Running without pod management - metrics will be calculated from VMs directly';

/** Maximum size of a scenario. One with 100,000 VMs takes half of it. */
const MAX_SCENARIO_BYTES = 32 * 1024 * 1024;
const MAX_FEEDBACK_BYTES = 4 * 1024 * 1024;

/** Formats a rejection of the HTTP server like all other responses of the exporter. */
export const formatRejection = (error: string) => ({ type: JSON_TYPE, body: textOf({ status: 'error', error }) });

/** Returns the endpoints of the exporter for any fleet. */
export function exporterRoutes(fleet: FleetBackend): Route[] {
  const counters = new MoveCounters();
  return [...readRoutes(fleet, counters), scenarioRoute(fleet), feedbackRoute(fleet, counters), refreshRoute(fleet)];
}

function readRoutes(fleet: FleetBackend, counters: MoveCounters): Route[] {
  const exposition = new Exposition();
  const formatted = (load: NodeLoad) => formatNode(load, fleet.vmsOn(load.name), fleet.acceptanceOf?.(load.name));
  return [
    {
      path: '/metrics',
      handle(_request, response) {
        const text = Buffer.concat([exposition.of(fleet.loads()), Buffer.from(counters.text())]);
        response.writeHead(200, { 'content-type': EXPOSITION_TYPE, 'content-length': text.length, ...FRESH }).end(text);
      },
    },
    { path: '/health', handle: (_request, response) => answer(response, 200, health(fleet)) },
    {
      path: '/nodes/',
      handle(request, response) {
        const name = nameIn(request);
        const load = name === undefined ? undefined : fleet.load(name);
        if (load === undefined) answer(response, 404, { status: 'error', error: `node ${name ?? ''} not found` });
        else answer(response, 200, formatted(load));
      },
    },
    {
      path: '/scenario',
      handle(_request, response) {
        answer(response, 200, { nodes: fleet.loads().map(formatted) });
      },
    },
  ];
}

function scenarioRoute(fleet: FleetBackend): Route {
  return {
    path: '/scenario',
    methods: ['POST'],
    maxBodyBytes: MAX_SCENARIO_BYTES,
    streams: true,
    handle: (request, response, signal) =>
      sendRejections(response, async () => {
        const body = await bodyOf(request, MAX_SCENARIO_BYTES);
        const name = queryOf(request).get('name') ?? undefined;
        const desired = readFleetSpec(body, name, (node) => fleet.has(node));
        const { nodes, vms, unplaced } = await fleet.replace(desired, signal);
        answer(response, 200, { status: 'success', nodes_loaded: nodes, total_vms: vms, unschedulable: unplaced });
      }),
  };
}

function feedbackRoute(fleet: FleetBackend, counters: MoveCounters): Route {
  return {
    path: '/feedback',
    methods: ['POST'],
    maxBodyBytes: MAX_FEEDBACK_BYTES,
    streams: true,
    handle: (request, response, signal) =>
      sendRejections(response, async () => {
        const { moves, destinations } = readFeedback(await bodyOf(request, MAX_FEEDBACK_BYTES), fleet.namespace);
        const results = await fleet.move(moves, signal, destinations);
        counters.count(results);
        const moved = results.filter(({ success }) => success).length;
        answer(response, 200, { success: moved > 0, moved, results });
      }),
  };
}

function refreshRoute(fleet: FleetBackend): Route {
  return {
    path: '/refresh',
    methods: ['POST'],
    async handle(_request, response, signal) {
      await fleet.refresh(signal);
      const names = fleet.loads().map(({ name }) => name);
      const [refreshed, failed] = signal.aborted ? [[], names] : [names, []];
      const status = failed.length === 0 ? 'success' : 'error';
      answer(response, 200, { status, refreshed, failed, total: names.length });
    },
  };
}

function health(fleet: FleetBackend): object {
  const { managed, ready, unread = new Set<string>() } = fleet;
  return {
    status: 'healthy',
    nodes: fleet.loads().length,
    pod_manager_enabled: managed,
    k8s_client_ready: ready,
    ...(managed ? {} : { warning: IN_MEMORY }),
    ...(unread.size === 0 ? {} : { warning: formatUnread(unread) }),
  };
}

const MAX_NAMED = 10;

function formatUnread(pods: ReadonlySet<string>): string {
  const named = [...pods].slice(0, MAX_NAMED).join(', ');
  const more = pods.size > MAX_NAMED ? ` and ${pods.size - MAX_NAMED} more` : '';
  return `the consumption annotation is not a number and is ignored: pods ${named}${more}`;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const textOf = (body: object) => `${JSON.stringify(body)}\n`;
const FRESH = { 'cache-control': 'no-store' };

function answer(response: ServerResponse, status: number, body: object): void {
  const text = Buffer.from(textOf(body));
  response.writeHead(status, { 'content-type': JSON_TYPE, 'content-length': text.length, ...FRESH }).end(text);
}

async function sendRejections(response: ServerResponse, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof RejectedError)) throw error;
    const causes = error.causes.map((cause) => ({ field: cause.field, message: formatCause(cause) }));
    answer(response, error.status, { status: 'error', causes });
  }
}

async function bodyOf(request: IncomingMessage, limit: number): Promise<unknown> {
  const text = (await readBody(request, limit)).toString();
  try {
    return JSON.parse(text);
  } catch (error) {
    const detail = `must be JSON: ${(error as Error).message}`;
    throw new RejectedError([{ type: 'Invalid', field: '', detail }]);
  }
}

const queryOf = ({ url = '/' }: IncomingMessage) => new URL(url, 'http://localhost').searchParams;

function nameIn({ url = '/' }: IncomingMessage): string | undefined {
  try {
    return decodeURIComponent(new URL(url, 'http://localhost').pathname.slice('/nodes/'.length));
  } catch {
    return undefined;
  }
}
