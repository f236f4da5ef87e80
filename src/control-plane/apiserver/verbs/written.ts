import type { KubeObject } from '#platform/kube/kube-object';
import type { User } from '../access/user.ts';
import { type Backend, longWorkOf, storeOf } from '../backend.ts';
import { textOf } from '../object-text.ts';
import type { RequestContext } from '../request-context.ts';
import type { Resource } from '../resource.ts';
import { nextStage, turnOf } from '../stage-barrier.ts';

/** What a write left behind: the object as it is now, and its text in the version of the request. */
export interface StoredResult {
  readonly object: KubeObject;
  readonly text: string;
  /** Whether the object was not there before. */
  readonly created: boolean;
  /** The object was its last finalizer's and is gone now. */
  readonly deleted?: boolean;
}

/** Puts an object in the store at the revision that it is expected to be at; undefined where it is not. */
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
    const large = await prepareText(backend, object, size, user);
    if ((target.latest(key)?.revision ?? 0) !== expected) return undefined;
    return { object, text: large ? backend.parsed.textOf(object) : textOf(object), created };
  }
  const stored = resource.toStorage === undefined ? object : await resource.toStorage(object);
  const put = async () => {
    if (size >= LARGE) await prepareText(backend, stored, size, user);
    // The last moment at which it is of no use any more; from here on the write happens.
    await nextStage(backend.thread, size, user);
    return await target.put(
      key,
      (revision) => {
        stored.metadata.resourceVersion = String(revision);
        return backend.parsed.textOf(stored);
      },
      { expected, memo: backend.parsed.memoOf(stored) },
    );
  };
  const outcome = await backend.commits.write(user, size, put);
  if (!outcome.done) return undefined;
  object.metadata.resourceVersion = String(outcome.event.revision);
  if (stored === object) return { object, text: outcome.event.entry.value, created };
  // What was put down may come back as something else, and that is what everybody is going to see from now on.
  const [seen = object] = (await resource.fromStorage?.([stored])) ?? [];
  return { object: seen, text: textOf(seen), created };
}

/** Text that takes long enough to be made in steps. */
const LARGE = 256 * 1024;

/** Makes most of the text of a large object, with turns for others; whether it was large. */
async function prepareText(backend: Backend, object: KubeObject, size: number, user: User): Promise<boolean> {
  if (size < LARGE) return false;
  const { pause } = longWorkOf(backend, user);
  for (const _step of backend.parsed.prepareText(object)) await pause();
  return true;
}
