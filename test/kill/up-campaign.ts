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
  /** Receives what happens, for debugging. */
  readonly log: (line: string) => void;
}

export interface Survival {
  readonly kills: number;
  readonly acknowledged: number;
  /** Number of results of each kind: `clone Succeeded`, `migration Failed`. */
  readonly ends: Readonly<Record<string, number>>;
}

/** Maximum time for everything to finish after a kill. */
const DEADLINE_MS = 120_000;
/** Maximum time that a kill waits for its moment. */
const TRIGGER_MS = 4000;
const MIGRATION_PHASES = ['Scheduling', 'Scheduled', 'PreparingTarget', 'TargetReady', 'Running', 'Succeeded'];

/**
 * Kills `vimana up` this many times while VMs are migrated, cloned and restored and roles change, each time at another
 * moment. Checks after each that nothing acknowledged is lost, nothing exists twice, and everything finishes. Throws if
 * that is not the case.
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
  /** State of an object that triggers the kill. If absent, a time triggers it. */
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
    // The number of actions is limited to what the VMs can complete.
    await realClock.sleep(count < 6 ? random.int(0, 50) : 500);
  }
  await killed;
}

async function killAt(up: DurableUp, moment: Moment, over: AbortController): Promise<void> {
  await waitFor(up.client, moment, over.signal);
  over.abort();
  await up.kill();
}

/** Waits for the moment, up to a timeout. */
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
      // The moment did not occur.
    }
  }
  await realClock.sleep(afterMs);
}

/** Reads all objects after everything has settled. */
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

/**
 * Checks that VMs without a requested restart still have the same instance, and that finished operations have not
 * changed.
 */
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
