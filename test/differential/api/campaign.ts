import { seededRandom } from '#platform/base/random';
import { DEFINITIONS, GROUP } from './definition.ts';
import { type Difference, type Pair, play } from './difference.ts';
import { type Answer, Session } from './session.ts';
import { type Shrunk, shrink } from './shrink.ts';
import type { Sequence, Step } from './step.ts';
import { TOPICS } from './topics.ts';

export interface Campaign {
  readonly pair: Pair;
  readonly seed: string;
  /** Prefix of namespaces, for servers that were used before. */
  readonly prefix?: string;
  /** Which sequences of the seed to run. */
  readonly from: number;
  readonly to: number;
  /** Only sequences of this topic. */
  readonly topic?: string;
  /** Stops after this many differences. */
  readonly most: number;
}

export interface Outcome {
  readonly sequences: number;
  readonly requests: number;
  readonly excused: ReadonlyMap<string, number>;
  readonly statuses: ReadonlyMap<number, number>;
  readonly found: readonly (Shrunk & { readonly number: number })[];
}

const AT_ONCE = 3;

/** Runs many sequences, a few at a time, and shrinks those with different responses. */
export async function campaign({ pair, seed, prefix = 'd', from, to, topic, most }: Campaign): Promise<Outcome> {
  const found: (Shrunk & { number: number })[] = [];
  const excused = new Map<string, number>();
  const statuses = new Map<number, number>();
  let requests = 0;
  let sequences = 0;
  let next = from;
  let tries = 0;
  const worker = async () => {
    while (next < to && found.length < most) {
      const number = next++;
      const sequence = sequenceOf(seed, number, topic);
      const played = await play(pair, sequence, `${prefix}${number}`);
      sequences += 1;
      requests += played.requests;
      for (const name of played.excused) excused.set(name, (excused.get(name) ?? 0) + 1);
      for (const [status, count] of played.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count);
      if (played.difference === undefined) continue;
      const replay = async (shorter: Sequence) =>
        (await play(pair, shorter, `${prefix}${number}-${tries++}`)).difference;
      found.push({ number, ...(await shrink({ sequence, difference: played.difference }, replay)) });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { sequences, requests, excused, statuses, found };
}

/** Returns the sequence of a seed and a number, which is always the same. */
export function sequenceOf(seed: string, number: number, only?: string): Sequence {
  const random = seededRandom(seed).fork(`sequence ${number}`);
  const lots = Object.entries(TOPICS).flatMap(([name, { weight }]) => Array<string>(weight).fill(name));
  const topic = only ?? random.pick(lots);
  const steps = TOPICS[topic]?.make(random);
  if (steps === undefined) throw new Error(`there is no topic ${topic}; there are ${Object.keys(TOPICS).join(', ')}`);
  return { topic, steps };
}

const DEFINITION_PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Installs the custom resources that sequences use, and waits until both servers serve them. */
export async function prepare(pair: Pair): Promise<void> {
  for (const target of [pair.ours, pair.theirs]) {
    const session = new Session(target, 'default', pair.agent);
    for (const body of DEFINITIONS) {
      const { status, body: said } = await session.play({ method: 'POST', path: DEFINITION_PATH, body });
      if (status !== 201 && status !== 409)
        throw new Error(`${target.name} takes no definition: ${JSON.stringify(said)}`);
    }
    for (const plural of ['gadgets', 'territories']) await served(session, plural);
  }
}

/** Waits for the condition of a CRD and for its handler, which learns of the CRD by its own watch. */
async function served(session: Session, plural: string): Promise<void> {
  const fieldSelector = `metadata.name=${plural}.${GROUP}`;
  const query = { watch: '1', fieldSelector };
  await session.play({ method: 'GET', path: DEFINITION_PATH, query, until: isEstablished });
  const list: Step = { method: 'GET', path: `/apis/${GROUP}/v1/${plural}` };
  let last: Answer | undefined;
  for (let turn = 0; turn < TURNS; turn++) {
    last = await session.play(list);
    if (last.status === 200) return;
  }
  throw new Error(`${session.target.name} does not serve ${plural}: ${JSON.stringify(last?.body)}`);
}

/** Each entry is a request with its response. */
const TURNS = 2_000;

function isEstablished(object: unknown): boolean {
  const { status } = object as { status?: { conditions?: readonly { type: string; status: string }[] } };
  return status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') === true;
}

/** Formats a difference: the requests that lead to it, and both responses. */
export function describe({ sequence, difference }: { sequence: Sequence; difference: Difference }): string {
  const steps = sequence.steps.map(({ method, path, query, body, ...rest }) => {
    const asked = query === undefined ? '' : `?${new URLSearchParams(query).toString()}`;
    const more = Object.entries(rest).map(([key, value]) => ` ${key}: ${String(value)}`);
    return `  ${method} ${path}${asked}${more.join('')}${body === undefined ? '' : `\n    ${JSON.stringify(body)}`}`;
  });
  return [...steps, `ours:   ${JSON.stringify(difference.ours)}`, `theirs: ${JSON.stringify(difference.theirs)}`].join(
    '\n',
  );
}
