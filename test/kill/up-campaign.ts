import { OPERATIONS } from '#api/hypersdk/operation-resources';
import { VMIMS } from '#api/kubevirt/resources';
import { realClock } from '#platform/base/clock';
import { type Random, seededRandom } from '#platform/base/random';
import type { Client, ResourceType } from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { DurableUp } from './durable-up.ts';
import { Activity, MACHINES, makeMachines } from './up-activity.ts';
import { doubled, type Scene, sceneOf, unsettled } from './up-checks.ts';
import { Ledger } from './up-ledger.ts';

export interface Campaign {
  readonly folder: string;
  readonly kills: number;
  readonly seed: string;
  /** Told what happens, for whoever looks for why something went wrong. */
  readonly log: (line: string) => void;
}

export interface Survival {
  readonly kills: number;
  readonly acknowledged: number;
  /** How many came to which end: `clone Succeeded`, `migration Failed`. */
  readonly ends: Readonly<Record<string, number>>;
}

/** How long everything may take to come to its end after a kill. */
const DEADLINE_MS = 120_000;
/** How long a kill waits for the moment that it was to come at. */
const TRIGGER_MS = 4000;
const MIGRATION_PHASES = ['Scheduling', 'Scheduled', 'PreparingTarget', 'TargetReady', 'Running', 'Succeeded'];

/**
 * Kills `vimana up` this many times while machines move, are copied and go back to snapshots and roles change, each time
 * at another moment, and checks after each that nothing acknowledged is lost, nothing is there twice, and everything
 * comes to an end. Throws where it does not.
 */
export async function surviveKillsOfUp({ folder, kills, seed, log }: Campaign): Promise<Survival> {
  const random = seededRandom(seed);
  const ledger = new Ledger();
  const activity = new Activity(random.fork('activity'), ledger);
  let up = await DurableUp.start(folder);
  let done = 0;
  try {
    await makeMachines(up.client, ledger);
    let before = await settled(up.client, 'at the beginning');
    while (done < kills) {
      const moment = momentOf(random);
      log(`kill ${done + 1} of ${kills}: ${moment.what}`);
      activity.restarted.clear();
      await actUntilKilled(up, activity, moment, random);
      done++;
      while (done < kills && random.next() < 0.2) {
        const afterMs = random.int(50, 3000);
        log(`kill ${done + 1} of ${kills}: ${afterMs} ms after a start`);
        await DurableUp.killWhileStarting(folder, afterMs);
        done++;
      }
      up = await DurableUp.start(folder);
      const what = `after kill ${done}, ${moment.what}`;
      demand(await ledger.lost(up.client), `${what}: lost`);
      before = checkAgain(before, await settled(up.client, what), activity, what);
    }
    return { kills: done, acknowledged: ledger.acknowledged, ends: endsIn(before) };
  } finally {
    await up.kill();
  }
}

interface Moment {
  readonly what: string;
  /** The state of an object that it comes with; absent: it comes after the time. */
  readonly at?: { readonly type: ResourceType; readonly matches: (object: KubeObject) => boolean };
  readonly afterMs: number;
}

function momentOf(random: Random): Moment {
  const kind = random.pick(['migration', 'migration', 'clone', 'restore', 'snapshot', 'migrate', 'time']);
  const afterMs = kind === 'time' ? random.int(0, 1500) : random.pick([0, 0, 1, 5, 20, 100]);
  if (kind === 'time') return { what: `${afterMs} ms after the first request`, afterMs };
  const isMigration = kind === 'migration';
  const phase = random.pick(isMigration ? MIGRATION_PHASES : ['Running', 'Running', 'Succeeded']);
  const matches = ({ spec, status }: KubeObject & { spec?: { operation?: string }; status?: { phase?: string } }) =>
    status?.phase === phase && (isMigration || spec?.operation === kind);
  const at = { type: isMigration ? VMIMS : (OPERATIONS as ResourceType), matches };
  return { what: `${afterMs} ms after a ${kind} is ${phase}`, at, afterMs };
}

async function actUntilKilled(up: DurableUp, activity: Activity, moment: Moment, random: Random): Promise<void> {
  const over = new AbortController();
  const killed = killAt(up, moment, over);
  for (let count = 0; !over.signal.aborted; count++) {
    try {
      await activity.act(up.client);
    } catch (error) {
      if (!(error instanceof KubeError)) break;
    }
    // Not more than the machines can do in a while.
    await realClock.sleep(count < 6 ? random.int(0, 50) : 500);
  }
  await killed;
}

async function killAt(up: DurableUp, moment: Moment, over: AbortController): Promise<void> {
  await waitFor(up.client, moment, over.signal);
  over.abort();
  await up.kill();
}

/** Waits for the moment; at most for as long as anything should take to get there. */
async function waitFor(client: Client, { at, afterMs }: Moment, signal: AbortSignal): Promise<void> {
  const enough = new AbortController();
  using _timer = realClock.timer(TRIGGER_MS, () => enough.abort());
  if (at !== undefined) {
    const { resourceVersion } = (await client.list(at.type)).metadata;
    try {
      for await (const event of client.watch(at.type, { resourceVersion, signal: enough.signal })) {
        if (signal.aborted || at.matches(event.object)) break;
      }
    } catch {
      // It did not come.
    }
  }
  await realClock.sleep(afterMs);
}

/** What is there when all has come to rest. */
async function settled(client: Client, what: string): Promise<Scene> {
  const end = realClock.monotonic() + DEADLINE_MS;
  for (;;) {
    const scene = await sceneOf(client);
    demand(doubled(scene), `${what}: doubled`);
    const wrong = unsettled(scene);
    if (wrong.length === 0) return scene;
    if (realClock.monotonic() >= end) demand(wrong, `${what}: not at rest after ${DEADLINE_MS / 1000} s`);
    await realClock.sleep(250);
  }
}

/** Machines that nobody asked to start anew are the same runs as before; operations that were over have not changed. */
function checkAgain(before: Scene, after: Scene, { restarted }: Activity, what: string): Scene {
  const wrong: string[] = [];
  const runOf = ({ vmis }: Scene, name: string) => {
    const vmi = vmis.find(({ metadata }) => metadata.name === name);
    const began = vmi?.status?.phaseTransitionTimestamps?.find(({ phase }) => phase === 'Running');
    return `${vmi?.metadata.uid} since ${began?.phaseTransitionTimestamp}`;
  };
  for (const name of MACHINES) {
    const [was, is] = [runOf(before, name), runOf(after, name)];
    if (was !== is && !restarted.has(name)) wrong.push(`${name} was ${was} and is ${is}`);
  }
  const ended = new Map(after.operations.map((operation) => [operation.metadata.uid, operation.status?.phase]));
  for (const { metadata, status } of before.operations) {
    const phase = ended.get(metadata.uid);
    if (phase !== status?.phase) wrong.push(`${metadata.name} was ${status?.phase} and is ${phase}`);
  }
  demand(wrong, `${what}: changed`);
  return after;
}

function endsIn({ operations, migrations }: Scene): Record<string, number> {
  const ends: Record<string, number> = {};
  const count = (word: string) => void (ends[word] = (ends[word] ?? 0) + 1);
  for (const { spec, status } of operations) count(`${spec.operation} ${status?.phase}`);
  for (const { status } of migrations) count(`migration ${status?.phase}`);
  return ends;
}

function demand(wrong: readonly string[], what: string): void {
  if (wrong.length > 0) throw new Error(`${what}:\n${wrong.join('\n')}`);
}
