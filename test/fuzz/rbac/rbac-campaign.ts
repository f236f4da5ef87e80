import { type Random, seededRandom } from '#platform/base/random';
import { drawRequest } from './draw-request.ts';
import { recordEffects } from './effects.ts';
import { type Expectation, expectationOf } from './expectation.ts';
import { RBAC_GROUP } from './fuzz-kinds.ts';
import type { FuzzRequest } from './fuzz-request.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { ACCOUNT } from './grants.ts';
import { judge } from './judge.ts';
import { Lane, type Planted } from './lane.ts';
import { prepareLane, prepareTarget, restoreLane, synchronize } from './prepare-lane.ts';
import { type StoreView, unexplainedChanges, viewStore } from './store-view.ts';
import { UserConnections } from './user-connections.ts';

export interface CampaignOptions {
  readonly seed: string;
  /** Total number of requests. */
  readonly requests: number;
  /** Number of lanes that send in parallel, each one request at a time. */
  readonly lanes: number;
  /** Number of requests of a lane between two reads of the store. */
  readonly batch: number;
  /** A certificate request in PEM. */
  readonly requestPem: string;
}

export interface CampaignOutcome {
  readonly sent: number;
  /** Number of requests that were answered by closing the connection. */
  readonly closed: number;
  readonly permitted: number;
  readonly forbidden: number;
  readonly statuses: ReadonlyMap<number, number>;
  /** A problem with everything needed to reproduce it. */
  readonly violations: readonly string[];
}

const MAX_VIOLATIONS = 25;

interface RunningLane {
  readonly lane: Lane;
  readonly random: Random;
  readonly connections: ReadonlyMap<string, UserConnections>;
}

/** Sends requests as users with many kinds of permissions, and compares every response and the store with the model. */
export async function rbacCampaign(target: FuzzTarget, options: CampaignOptions): Promise<CampaignOutcome> {
  const { seed, requests, batch } = options;
  const tally = {
    sent: 0,
    closed: 0,
    permitted: 0,
    forbidden: 0,
    statuses: new Map<number, number>(),
    violations: [] as string[],
  };
  await prepareTarget(target);
  const running = await startLanes(target, options);
  const planted = new Map<string, Planted>();
  for (const { lane } of running) for (const each of lane.planted) planted.set(each.canary, each);
  try {
    let view = await restored(target, running, options);
    for (let round = 0; tally.sent < requests && tally.violations.length < MAX_VIOLATIONS; round++) {
      const count = Math.min(batch, Math.ceil((requests - tally.sent) / running.length));
      await Promise.all(running.map((each) => runBatch(target, each, { ...options, round, count, planted }, tally)));
      const after = await viewStore(target);
      const touched = new Set(running.flatMap(({ lane }) => [...lane.touched]));
      for (const change of unexplainedChanges(view, after, touched)) {
        tally.violations.push(`seed ${seed}, round ${round}: ${change}, and no permitted request did that`);
      }
      for (const fault of await target.faults()) tally.violations.push(`seed ${seed}, round ${round}: ${fault}`);
      view = await restored(target, running, options, after);
    }
  } finally {
    for (const { connections } of running) for (const each of connections.values()) each.close();
  }
  return tally;
}

async function startLanes(target: FuzzTarget, { seed, lanes }: CampaignOptions): Promise<RunningLane[]> {
  const running: RunningLane[] = [];
  for (let index = 0; index < lanes; index++) {
    const random = seededRandom(`${seed} lane ${index}`);
    const lane = new Lane(index, random.fork('canaries'));
    await prepareLane(target, lane);
    const connections = new Map<string, UserConnections>();
    for (const { kind, name, groups } of lane.users) {
      const credentials =
        kind === 'account' ? { token: await accountToken(target, lane) } : target.certificate(name, ownGroups(groups));
      connections.set(name, new UserConnections(target.port, credentials));
    }
    running.push({ lane, random: random.fork('requests'), connections });
  }
  return running;
}

/** Groups that a certificate must contain. The server adds the other one. */
const ownGroups = (groups: readonly string[]) => groups.filter((group) => group !== 'system:authenticated');

async function accountToken(target: FuzzTarget, { names }: Lane): Promise<string> {
  const path = `/api/v1/namespaces/${names.home}/serviceaccounts/${ACCOUNT}/token`;
  const { body } = await target.admin('POST', path, { spec: { expirationSeconds: 24 * 60 * 60 } });
  return (JSON.parse(body) as { status: { token: string } }).status.token;
}

/** Restores what requests have deleted, and reads the store into the models. */
async function restored(
  target: FuzzTarget,
  running: readonly RunningLane[],
  { requestPem }: CampaignOptions,
  seen?: StoreView,
): Promise<StoreView> {
  const before = seen ?? (await viewStore(target));
  await Promise.all(running.map(({ lane }) => restoreLane(target, lane, before, requestPem)));
  await target.settle();
  const view = await viewStore(target);
  for (const { lane } of running) synchronize(lane, view);
  return view;
}

interface BatchOptions extends CampaignOptions {
  readonly round: number;
  readonly count: number;
  readonly planted: ReadonlyMap<string, Planted>;
}

type Tally = { -readonly [K in keyof CampaignOutcome]: CampaignOutcome[K] } & {
  readonly statuses: Map<number, number>;
  readonly violations: string[];
};

async function runBatch(
  target: FuzzTarget,
  { lane, random, connections }: RunningLane,
  { seed, round, count, planted, requestPem }: BatchOptions,
  tally: Tally,
): Promise<void> {
  for (let index = 0; index < count && tally.violations.length < MAX_VIOLATIONS; index++) {
    const request = drawRequest(random, lane, requestPem);
    const expectation = expectationOf(lane, request);
    const answer = await connections.get(request.user.name)?.send(request);
    tally.sent++;
    if (expectation.outcome === 'permitted') tally.permitted++;
    if (expectation.outcome === 'forbidden') tally.forbidden++;
    if (answer === undefined) {
      tally.closed++;
      continue;
    }
    tally.statuses.set(answer.status, (tally.statuses.get(answer.status) ?? 0) + 1);
    const problem = judge(lane, request, expectation, answer, planted);
    if (problem !== undefined) {
      const where = `seed ${seed}, ${lane.names.prefix}, round ${round}, request ${index}`;
      tally.violations.push(
        `${where}: ${problem}\n${shown(lane, request, expectation)}\n  -> ${answer.status} ${answer.body.slice(0, 700)}`,
      );
    }
    recordEffects(lane, request, expectation, answer);
    if (answer.status < 300 && isRbacWrite(expectation)) await target.settle();
  }
}

function isRbacWrite({ access }: Expectation): boolean {
  if (access === undefined || 'path' in access) return false;
  return access.group === RBAC_GROUP && !['get', 'list', 'watch'].includes(access.verb);
}

/** Formats everything needed to send a request again: its bytes, and the permissions of its user. */
function shown(
  lane: Lane,
  { user, protocol, method, target, headers, body }: FuzzRequest,
  { access, person }: Expectation,
): string {
  const namespace = access === undefined || 'path' in access ? '' : access.namespace;
  const rules = lane.rbac.rulesOf(person, namespace).map((rule) => `  may ${JSON.stringify(rule)}`);
  return [
    `  as ${user.name} over ${protocol}: ${method} ${target}`,
    ...headers.map((header) => `  ${header.join(': ')}`),
    `  ${body.toString('latin1').slice(0, 1500)}`,
    `  which is ${JSON.stringify(access)}, by ${person.name}`,
    ...rules,
  ].join('\n');
}
