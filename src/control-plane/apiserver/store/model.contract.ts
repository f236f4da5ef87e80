import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  boolean,
  constant,
  constantFrom,
  double,
  integer,
  oneof,
  record,
} from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '#testing/runs';
import type { Entry, Outcome, Store, StoreEvent } from './store.ts';

const KEYS = ['/r/a/1', '/r/a/2', '/r/b/1', '/r/b/2', '/s/a/1', '/s/b/1'];
const PREFIXES = ['', '/r/', '/r/a/', '/s/', '/r/b/1', '/none/'];

type Expected = 'any' | 'absent' | 'current' | 'stale';
type Command =
  | { readonly do: 'put' | 'delete'; readonly key: string; readonly expected: Expected; readonly wait: boolean }
  | { readonly do: 'compact'; readonly at: number }
  | { readonly do: 'read'; readonly prefix: string; readonly at: number; readonly limit: number }
  | { readonly do: 'watch'; readonly prefix: string; readonly at: number };

/** Holds everything that ever happened in a list: slow and obviously correct. */
class Model {
  readonly history: { key: string; value: string | undefined; revision: number; createRevision: number }[] = [];
  revision = 1;
  compacted = 1;

  get(key: string, revision = this.revision): Entry | undefined {
    const last = this.history.findLast((entry) => entry.key === key && entry.revision <= revision);
    return last?.value === undefined ? undefined : (last as Entry);
  }

  range(prefix: string, revision: number): Entry[] {
    return KEYS.filter((key) => key.startsWith(prefix)).flatMap((key) => this.get(key, revision) ?? []);
  }

  write(key: string, value: string | undefined): void {
    const current = this.get(key);
    this.revision++;
    const createRevision = current?.createRevision ?? this.revision;
    this.history.push({ key, value, revision: this.revision, createRevision });
  }

  events(prefix: string, after: number) {
    const desired = (key: string) => (prefix === '' || prefix.endsWith('/') ? key.startsWith(prefix) : key === prefix);
    return this.history
      .filter(({ key, revision }) => revision > after && desired(key))
      .map(({ key, revision, value }) => ({
        type: value === undefined ? 'delete' : 'put',
        key,
        revision,
        value,
        previous: this.get(key, revision - 1)?.value,
      }));
  }
}

const fraction = double({ min: 0, max: 1, noNaN: true });
const command: Arbitrary<Command> = oneof(
  {
    weight: 6,
    arbitrary: record({
      do: constantFrom('put', 'put', 'delete'),
      key: constantFrom(...KEYS),
      expected: constantFrom<Expected>('any', 'any', 'absent', 'current', 'stale'),
      wait: boolean(),
    }),
  },
  { weight: 1, arbitrary: record({ do: constant('compact'), at: fraction }) },
  {
    weight: 2,
    arbitrary: record({
      do: constant('read'),
      prefix: constantFrom(...PREFIXES),
      at: fraction,
      limit: integer({ min: 1, max: 7 }),
    }),
  },
  { weight: 1, arbitrary: record({ do: constant('watch'), prefix: constantFrom(...PREFIXES), at: fraction }) },
);

/** Tests that any sequence of commands has the same results as the model. */
export function describeModel(open: () => Promise<Store>, reopen?: (store: Store) => Promise<Store>): void {
  it('responds to any sequence of commands like a list of all events', { timeout: 60_000 }, async () => {
    await assert(
      asyncProperty(array(command, { minLength: 10, maxLength: 100, size: 'max' }), async (commands) => {
        let store = await open();
        try {
          const model = new Model();
          await runAll(store, model, commands.slice(0, commands.length >> 1));
          if (reopen !== undefined) store = await reopen(store);
          await runAll(store, model, commands.slice(commands.length >> 1));
        } finally {
          await store.close();
        }
      }),
      { numRuns: runs(60) },
    );
  });
}

async function runAll(store: Store, model: Model, commands: readonly Command[]): Promise<void> {
  const open: Promise<void>[] = [];
  for (const command of commands) {
    if ('expected' in command) {
      await write(store, model, command, open);
      continue;
    }
    await Promise.all(open.splice(0));
    if (command.do === 'read') read(store, model, command);
    if (command.do === 'watch') await watch(store, model, command);
    if (command.do === 'compact') await compact(store, model, command.at);
  }
  await Promise.all(open);
  expect(store.revision).toBe(model.revision);
  expect(store.compacted).toBe(model.compacted);
}

/** Writes a value. Writes that must fail run alone: among others, a failure may see a later state than the model's. */
async function write(
  store: Store,
  model: Model,
  { do: kind, key, expected, wait }: Extract<Command, { expected: Expected }>,
  open: Promise<void>[],
): Promise<void> {
  const current = model.get(key);
  const value = kind === 'put' ? `${key}@${model.revision + 1}` : undefined;
  const number = { any: undefined, absent: 0, current: current?.revision ?? 0, stale: 1 }[expected];
  const admitted =
    !(kind === 'delete' && current === undefined) && (number ?? current?.revision ?? 0) === (current?.revision ?? 0);
  if (!admitted) await Promise.all(open.splice(0));
  const options = number === undefined ? {} : { expected: number };
  if (admitted) model.write(key, value);
  const { revision } = model;
  const response: Promise<Outcome> =
    kind === 'put' ? store.put(key, (revision) => `${key}@${revision}`, options) : store.delete(key, options);
  const check = async (): Promise<void> => {
    const outcome = await response;
    expect(outcome.done).toBe(admitted);
    if (outcome.done) expect(outcome.event).toMatchObject({ key, revision, type: kind });
    else expect(outcome.current?.value).toBe(current?.value);
  };
  const checked = check();
  if (wait || !admitted) await checked;
  else open.push(checked);
}

const pick = (at: number, model: Model): number => Math.round(at * model.revision);

function read(store: Store, model: Model, { prefix, at, limit }: Extract<Command, { do: 'read' }>): void {
  const revision = pick(at, model);
  if (revision < model.compacted) {
    expect(() => store.range({ prefix, revision })).toThrow(/compacted/);
    return;
  }
  for (const key of KEYS) expect(store.get(key, { revision })?.value).toBe(model.get(key, revision)?.value);
  const expected = model.range(prefix, revision);
  const found: Entry[] = [];
  for (;;) {
    const after = found.at(-1)?.key;
    const page = store.range({ prefix, limit, revision, ...(after !== undefined && { after }) });
    found.push(...page.entries);
    expect(page.remaining).toBe(expected.length - found.length);
    if (page.remaining === 0) break;
    expect(page.entries).toHaveLength(limit);
  }
  expect(found).toMatchObject(expected);
}

async function watch(store: Store, model: Model, { prefix, at }: Extract<Command, { do: 'watch' }>): Promise<void> {
  const after = pick(at, model);
  if (after < model.compacted) {
    expect(() => store.watch({ prefix, after })).toThrow(/compacted/);
    return;
  }
  const started = store.watch({ prefix, after });
  started.requestProgress();
  const events: StoreEvent[] = [];
  for await (const batch of started) {
    events.push(...batch.filter((item) => item.type !== 'progress'));
    const last = batch.at(-1);
    if (last?.type !== 'progress') continue;
    expect(last.revision).toBe(model.revision);
    break;
  }
  const seen = events.map(({ type, key, revision, entry, previous }) => {
    return { type, key, revision, value: entry?.value, previous: previous?.value };
  });
  expect(seen).toEqual(model.events(prefix, after));
}

async function compact(store: Store, model: Model, at: number): Promise<void> {
  const revision = pick(at, model);
  await store.compact(revision);
  model.compacted = Math.max(model.compacted, revision);
}
