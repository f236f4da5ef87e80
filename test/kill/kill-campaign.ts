import { once } from 'node:events';
import { Agent, request } from 'undici';
import { expect } from 'vitest';
import { realClock } from '#platform/base/clock';
import type { Random } from '#platform/base/random';
import { DurableServer } from './durable-server.ts';
import { Watcher } from './watcher.ts';
import { COLLECTION, type ConfigMap, isWhole, versionOf, Writer } from './writer.ts';

const CONNECTIONS = 16;
/** Time between two kills. */
const MAX_WRITES = 600;

export interface Survived {
  readonly acknowledged: number;
  readonly watched: number;
  /** Number of unacknowledged writes that were stored. */
  readonly unacknowledged: number;
}

/**
 * Kills a server this many times under load, each time at another moment, and checks after each restart that every
 * acknowledged write is stored, none is torn, and history has no gap.
 */
export async function surviveKills(dataDir: string, kills: number, random: Random): Promise<Survived> {
  const writers = Array.from({ length: CONNECTIONS }, (_, id) => new Writer(id, random.fork(`writer ${id}`)));
  let server = await DurableServer.start(dataDir);
  let watcher = new Watcher(await newestVersion(server));
  let [watched, unacknowledged, highest] = [0, 0, watcher.version];
  for (let kill = 0; kill < kills; kill++) {
    await loadUntilKilled(server, writers, watcher, random.int(1, MAX_WRITES));
    if (random.next() < 0.15) await killWhileStarting(dataDir, random.int(50, 900));
    server = await DurableServer.start(dataDir);
    const held = await heldBy(server);
    for (const writer of writers) unacknowledged += checkWriter(writer, held);
    const marker = await mark(server, kill);
    expect(marker, 'a version came twice').toBeGreaterThan(highestOf(writers, watcher, highest));
    highest = marker;
    await withAgent((agent) => watcher.watch(server, agent, ({ object }) => versionOf(object) === marker));
    expect(watcher.lost, 'history was gone').toBe(0);
    checkHistory(writers, watcher, held);
    watched += watcher.seen.length;
    for (const writer of writers) writer.acknowledged.length = 0;
    watcher = new Watcher(marker);
  }
  await server.kill();
  return {
    acknowledged: acknowledgedBy(writers),
    watched,
    unacknowledged,
  };
}

const acknowledgedBy = (writers: readonly Writer[]) =>
  writers.reduce((sum, { acknowledgedInAll }) => sum + acknowledgedInAll, 0);

async function withAgent(use: (agent: Agent) => Promise<void>): Promise<void> {
  const agent = new Agent({ connections: CONNECTIONS + 1, connect: { rejectUnauthorized: false }, bodyTimeout: 0 });
  try {
    await use(agent);
  } finally {
    await agent.destroy();
  }
}

/** Kills the server as soon as this many writes were acknowledged, while others are in progress. */
async function loadUntilKilled(
  server: DurableServer,
  writers: readonly Writer[],
  watcher: Watcher,
  writes: number,
): Promise<void> {
  const enough = acknowledgedBy(writers) + writes;
  await withAgent(async (agent) => {
    const watching = watcher.watch(server, agent, () => false);
    let killed: Promise<void> | undefined;
    const onAcknowledged = () => {
      if (acknowledgedBy(writers) >= enough) killed ??= server.kill();
    };
    await Promise.all(writers.map((writer) => writer.writeUntilGone(server, agent, onAcknowledged)));
    await Promise.all([watching, killed]);
  });
}

async function killWhileStarting(dataDir: string, ms: number): Promise<void> {
  const child = DurableServer.spawn(dataDir);
  const ended = once(child, 'exit');
  await Promise.race([realClock.sleep(ms), ended]);
  child.kill('SIGKILL');
  await ended;
}

type Held = ReadonlyMap<string, ConfigMap>;

async function ask<T>(server: DurableServer, path: string, body?: object): Promise<T> {
  const agent = new Agent({ connect: { rejectUnauthorized: false } });
  try {
    const answer = await request(`${server.url}${path}`, {
      dispatcher: agent,
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    expect(answer.statusCode).toBeLessThan(300);
    return (await answer.body.json()) as T;
  } finally {
    await agent.close();
  }
}

async function newestVersion(server: DurableServer): Promise<number> {
  return versionOf(await ask<ConfigMap>(server, COLLECTION));
}

async function heldBy(server: DurableServer): Promise<Held> {
  const { items } = await ask<{ items: ConfigMap[] }>(server, COLLECTION);
  return new Map(items.map((item) => [item.metadata.name, item]));
}

/** Makes one more write to find the current revision. */
async function mark(server: DurableServer, kill: number): Promise<number> {
  return versionOf(await ask<ConfigMap>(server, COLLECTION, { metadata: { name: `marker-${kill}` } }));
}

/**
 * Checks that every object is complete and has its last acknowledged content, or that of a write in progress. Returns
 * the number of the latter.
 */
function checkWriter(writer: Writer, held: Held): number {
  const { pending } = writer;
  writer.pending = undefined;
  let happened = 0;
  for (const name of new Set([...writer.known.keys(), ...(pending === undefined ? [] : [pending.name])])) {
    const object = held.get(name);
    const known = writer.known.get(name) ?? { version: 0, number: undefined };
    if (object !== undefined) expect(isWhole(object), `${name} is torn`).toBe(true);
    const number = object === undefined ? undefined : Number(object.data?.['number']);
    const version = object === undefined ? known.version : versionOf(object);
    if (pending?.name === name && pending.number === number && number !== known.number) {
      happened++;
      expect(version).toBeGreaterThanOrEqual(known.version);
    } else {
      expect({ name, version, number }, `what was acknowledged of ${name} is lost`).toEqual({ name, ...known });
    }
    writer.known.set(name, { version, number });
  }
  return happened;
}

function highestOf(writers: readonly Writer[], watcher: Watcher, before: number): number {
  return Math.max(
    before,
    watcher.version,
    ...writers.flatMap(({ known }) => [...known.values()].map((k) => k.version)),
  );
}

/**
 * Checks that the watched events before and after the kill contain every version once and in order, and lead to the
 * current objects.
 */
function checkHistory(writers: readonly Writer[], { seen }: Watcher, held: Held): void {
  const versions = seen.map(({ object }) => versionOf(object));
  expect(versions, 'events came twice or out of order').toEqual([...new Set(versions)].sort((a, b) => a - b));
  const byVersion = new Map(seen.map((change) => [versionOf(change.object), change]));
  for (const { name, version, number } of writers.flatMap(({ acknowledged }) => acknowledged)) {
    const change = byVersion.get(version);
    const told = { name: change?.object.metadata.name, number: Number(change?.object.data?.['number']) };
    expect(told, `version ${version} is missing in the watch`).toEqual({ name, number });
  }
  const last = new Map(seen.map((change) => [change.object.metadata.name, change]));
  for (const [name, { type, object }] of last) {
    if (name.startsWith('marker-')) continue;
    const now = held.get(name);
    if (type === 'DELETED') expect(now, `${name} is back`).toBeUndefined();
    else expect(now?.metadata.resourceVersion, name).toBe(object.metadata.resourceVersion);
  }
}
