import { runStepsInTurns } from '#platform/base/steps';
import type { KubeObject } from '#platform/kube/kube-object';
import type { User } from '../access/user.ts';
import { type Backend, longWorkOf, storeOf } from '../backend.ts';
import { type PreparedTexts, textOf } from '../object-text.ts';
import type { RequestContext } from '../request-context.ts';
import type { Resource } from '../resource.ts';
import { nextStage, turnOf } from '../stage-barrier.ts';

/** Result of a write: the current object, and its text in the version of the request. */
export interface StoredResult {
  readonly object: KubeObject;
  readonly text: string;
  /** Set if the object did not exist before. */
  readonly created: boolean;
  /** Set if the write removed the last finalizer, so that the object is gone. */
  readonly deleted?: boolean;
}

/** Stores an object if it is at the expected revision; otherwise returns undefined. */
export async function store(
  backend: Backend,
  resource: Resource,
  key: string,
  object: KubeObject,
  expected: number,
  { dryRun, size = 0, user }: RequestContext,
): Promise<StoredResult | undefined> {
  const target = storeOf(backend, resource);
  const created = expected === 0;
  if (dryRun) {
    const turn = turnOf(backend.thread, size, user);
    if (turn !== undefined) await turn;
    const prepared = await prepareText(backend, object, size, user);
    if ((target.latest(key)?.revision ?? 0) !== expected) return undefined;
    return { object, text: textOf(object, prepared), created };
  }
  const stored = resource.toStorage === undefined ? object : await resource.toStorage(object);
  const put = async () => {
    const prepared = size < LARGE ? undefined : await prepareText(backend, stored, size, user);
    // This is the last point at which the write can be canceled; from here on it happens.
    await nextStage(backend.thread, size, user);
    return await target.put(
      key,
      (revision) => {
        stored.metadata.resourceVersion = String(revision);
        return backend.parsed.textOf(stored, prepared);
      },
      { expected, memo: backend.parsed.memoOf(stored) },
    );
  };
  const outcome = await backend.commits.write(user, size, put);
  if (!outcome.done) return undefined;
  object.metadata.resourceVersion = String(outcome.event.revision);
  if (stored === object) return { object, text: outcome.event.entry.value, created };
  // A stored object may be converted back differently, and that result is what every reader sees from now on.
  const [seen = object] = (await resource.fromStorage?.([stored])) ?? [];
  return { object: seen, text: textOf(seen), created };
}

/** Size of text that is formatted in steps. */
const LARGE = 256 * 1024;

/** Formats most of the text of a large object while others run. */
async function prepareText(
  backend: Backend,
  object: KubeObject,
  size: number,
  user: User,
): Promise<PreparedTexts | undefined> {
  if (size < LARGE) return undefined;
  const { pause } = longWorkOf(backend, user);
  return await runStepsInTurns(backend.parsed.prepareText(object), pause);
}
