import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { AttackTarget, AttackTargetSource } from '../../../test/attacks/support/attack-target.ts';
import { ATTACKED_NAMESPACE, COSTLY_ATTACKS } from '../../../test/attacks/support/costly-requests.ts';
import type { AttackOrder, AttackResult, Connection, ProbeOrder, ProbeResult } from './messages.ts';

const PROBES = 'probes';
const PER_SECOND = 100;
const LIST_LENGTH = 10;
/** Duration of requests that make a freshly started server compile its code. */
const WARM_UP_SECONDS = 3;

export interface Quantiles {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** Effect of an attack on other users. */
export interface AttackFigures {
  readonly quantiles: Quantiles;
  /** Longest stall of the event loop, if the server records it. */
  readonly stall: { readonly wallMs: number; readonly processorMs: number } | undefined;
  /** Failed requests of others by status. Empty if none failed. */
  readonly failures: string;
  /** Responses to the attacker. */
  readonly answers: string;
}

/** Attacks a server of its own and probes it meanwhile. `stalls` reads the record of the server's monitor. */
export async function measureAttack(
  source: AttackTargetSource,
  name: string,
  seconds: number,
  stalls?: () => string,
): Promise<AttackFigures> {
  const target = await source.start();
  try {
    const prober = await connectionOf(target, 'prober', name);
    const attacker = await connectionOf(target, 'attacker', name);
    await probe({ connection: prober, namespace: PROBES, seconds: WARM_UP_SECONDS, perSecond: PER_SECOND });
    const began = Date.now();
    const attack = name === 'none' ? undefined : startAttack({ connection: attacker, attack: name, seconds });
    await attack?.begun;
    const { milliseconds, failures } = await probe({
      connection: prober,
      namespace: `${PROBES}-2`,
      seconds,
      perSecond: PER_SECOND,
    });
    attack?.child.kill();
    // A stall is recorded when it has ended.
    await Promise.race([target.admin.send('GET', '/readyz').catch(() => undefined), limit()]);
    return {
      quantiles: quantilesOf(milliseconds),
      stall: stalls === undefined ? undefined : longest(stalls(), began),
      failures: counts(failures),
      answers: counts(attack?.answers() ?? {}),
    };
  } finally {
    await target.stop();
  }
}

const MAX_STALL_MS = 180_000;
const limit = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, MAX_STALL_MS).unref());

/** Creates a user with its requirements, and the prerequisites of the attack. */
async function connectionOf(target: AttackTarget, user: 'prober' | 'attacker', name: string): Promise<Connection> {
  const attack = COSTLY_ATTACKS.find((each) => each.name === name);
  const spaces = user === 'prober' ? [PROBES, `${PROBES}-2`] : [ATTACKED_NAMESPACE];
  for (const space of spaces) {
    await target.admin.must('POST', '/api/v1/namespaces', { body: { metadata: { name: space } } });
    await target.admin
      .must('POST', `/api/v1/namespaces/${space}/serviceaccounts`, { body: { metadata: { name: 'default' } } })
      .catch(() => undefined);
  }
  if (user === 'prober') {
    const verbs = ['get', 'list', 'create'];
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs }];
    await target.user(user, { namespaces: Object.fromEntries(spaces.map((space) => [space, rules])) });
    for (const space of spaces) {
      for (let at = 0; at < LIST_LENGTH; at++) {
        const body = { metadata: { name: `probe-${at}`, labels: { probe: 'yes' } }, data: { key: 'value' } };
        await target.admin.must('POST', `/api/v1/namespaces/${space}/configmaps`, { body });
      }
    }
  } else {
    await target.user(user, attack?.permissions);
    for (const { method, path, ...request } of attack?.setup?.() ?? []) await target.admin.must(method, path, request);
  }
  const { certPem: cert, keyPem: key } = target.certificate(user);
  return { url: target.url, ca: target.caPem, cert, key };
}

function startAttack(order: AttackOrder) {
  const child = childOf('attacker.ts');
  let answers: AttackResult = {};
  const begun = once(child, 'message');
  child.on('message', (message) => {
    if (message !== 'ready') answers = message as AttackResult;
  });
  child.send(order);
  return { child, begun, answers: () => answers };
}

async function probe(order: ProbeOrder): Promise<ProbeResult> {
  const child = childOf('prober.ts');
  child.send(order);
  const [result] = (await once(child, 'message')) as [ProbeResult];
  return result;
}

/** Starts a child process without the server's monitor. */
function childOf(file: string): ChildProcess {
  const { NODE_OPTIONS: _, ...env } = process.env;
  return fork(join(import.meta.dirname, file), { env });
}

function quantilesOf(times: readonly number[]): Quantiles {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(Math.ceil(sorted.length * share) - 1, sorted.length - 1)] ?? 0;
  return { p50: at(0.5), p99: at(0.99), p999: at(0.999), max: at(1) };
}

function longest(log: string, since: number) {
  let wallMs = 0;
  let processorMs = 0;
  for (const line of log.split('\n')) {
    const [when = 0, wall = 0, processor = 0] = line.split(' ').map(Number);
    if (when < since) continue;
    wallMs = Math.max(wallMs, wall);
    processorMs = Math.max(processorMs, processor);
  }
  return { wallMs, processorMs };
}

const counts = (found: Readonly<Record<string, number>>): string =>
  Object.entries(found)
    .map(([status, count]) => `${count} x ${status}`)
    .join(', ');
