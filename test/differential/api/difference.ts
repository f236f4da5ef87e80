import { isDeepStrictEqual } from 'node:util';
import type { Agent } from 'undici';
import { GROUP } from './definition.ts';
import { DELIBERATE } from './deliberate.ts';
import { Normaliser } from './normalize.ts';
import { type Answer, Session, type Target } from './session.ts';
import { collection, type Sequence, type Step } from './step.ts';

/** First step of a sequence with different responses. */
export interface Difference {
  readonly at: number;
  readonly step: Step;
  readonly ours: Answer;
  readonly theirs: Answer;
}

export interface Pair {
  readonly ours: Target;
  readonly theirs: Target;
  readonly agent: Agent;
}

/** Observations while a sequence ran. */
export interface Played {
  readonly difference?: Difference;
  readonly requests: number;
  /** Names of deliberate differences that occurred. */
  readonly excused: readonly string[];
  /** Number of responses with each status. */
  readonly statuses: ReadonlyMap<number, number>;
}

/** Sends a sequence to both servers, one request at a time, up to the first difference. */
export async function play(pair: Pair, { steps }: Sequence, namespace: string): Promise<Played> {
  const sides = [pair.ours, pair.theirs].map((target) => {
    const session = new Session(target, namespace, pair.agent);
    return { session, normaliser: new Normaliser(session) };
  });
  await Promise.all(sides.map(({ session }) => furnish(session)));
  const excused: string[] = [];
  const statuses = new Map<number, number>();
  for (const [at, step] of steps.entries()) {
    if (isLoose(step)) for (const { normaliser } of sides) normaliser.loosen();
    const ask = async () => {
      const answers = await Promise.all(sides.map(({ session }) => session.play(step)));
      return answers.map((answer, side) => sides[side]?.normaliser.answer(answer)) as [Answer, Answer];
    };
    let [ours, theirs] = await ask();
    let judged = judge(step, ours, theirs);
    for (let turn = 0; step.settles === true && judged === 'different' && turn < TURNS; turn++) {
      [ours, theirs] = await ask();
      judged = judge(step, ours, theirs);
    }
    statuses.set(theirs.status, (statuses.get(theirs.status) ?? 0) + 1);
    if (judged === 'same') continue;
    if (judged === 'different') return { difference: { at, step, ours, theirs }, requests: at + 1, excused, statuses };
    excused.push(...judged);
    // After a write that only one server accepted, later responses would differ only for that reason.
    if (ours.status >= 300 !== theirs.status >= 300) return { requests: at + 1, excused, statuses };
  }
  return { requests: steps.length, excused, statuses };
}

/** Maximum number of attempts of a read that settles. Each attempt is a request to both servers. */
const TURNS = 200;

/**
 * Writes after which kube-apiserver reports changes although nothing changed: in a version that is not stored, of a
 * scale, and of claims.
 */
const LOOSE = new RegExp(`/${GROUP}/v1beta1/|/scale$|/persistentvolumeclaims`);

function isLoose({ method, path, body }: Step): boolean {
  if (method === 'GET') return false;
  // There, the client that sets the deletion time of an object owns that field, although the value does not change.
  return LOOSE.test(path) || JSON.stringify(body ?? null).includes('"deletionTimestamp":"');
}

/** Reports whether two responses are equal, or which deliberate differences distinguish them. */
function judge(step: Step, ours: Answer, theirs: Answer): 'same' | 'different' | readonly string[] {
  if (isDeepStrictEqual(ours, theirs)) return 'same';
  const names: string[] = [];
  let [a, b] = [ours, theirs];
  for (const each of DELIBERATE) {
    const { name } = each;
    if (each.plain !== undefined) {
      const [c, d] = [each.plain(a), each.plain(b)];
      if (!isDeepStrictEqual(c, a) || !isDeepStrictEqual(d, b)) names.push(name);
      [a, b] = [c, d];
    } else if (each.excuses?.({ step, ours, theirs }) === true) return [...names, name];
    if (isDeepStrictEqual(a, b)) return names;
  }
  return 'different';
}

/** Objects that a controller manager creates in every namespace. Pods cannot be created without them. */
async function furnish(session: Session): Promise<void> {
  const first: Step[] = [
    { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: session.namespace } } },
    { method: 'POST', path: collection('v1', 'serviceaccounts'), body: { metadata: { name: 'default' } } },
  ];
  for (const step of first) {
    const { status, body } = await session.play(step);
    if (status !== 201) throw new Error(`${session.target.name} makes no namespace: ${JSON.stringify(body)}`);
  }
}
