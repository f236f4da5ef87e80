import { array, assert, integer, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyIndex } from './key-index.ts';
import { Version } from './version.ts';

const key = (number: number): string => `/${number < 5_000 ? 'a' : 'b'}/${number}`;

describe('key index', () => {
  it('scans and counts like a sorted list of its keys, through splits and removals', () => {
    const step = record({
      from: integer({ min: 0, max: 9_999 }),
      count: integer({ min: 1, max: 900 }),
      kind: integer({ min: 0, max: 3 }),
    });
    assert(
      property(
        array(step, { maxLength: 15 }),
        integer({ min: 0, max: 9_999 }),
        integer({ min: 0, max: 2_000 }),
        (steps, after, limit) => {
          const index = new KeyIndex();
          const kept = new Map<string, Version>();
          let revision = 1;
          for (const { from, count, kind } of steps) {
            for (let i = from; i < from + count; i++) {
              const version = new Version(
                key((i * 7_919) % 10_000),
                kind === 0 ? undefined : 'x',
                ++revision,
                revision,
              );
              version.supersede(kept.get(version.key));
              index.set(version);
              kept.set(version.key, version);
              if (kind > 0 || i % 2 === 0) continue;
              index.remove(version.key);
              kept.delete(version.key);
            }
          }
          for (const prefix of ['', '/a/', '/b/1', '/c']) {
            for (const at of [revision, revision - 500]) {
              const expected = [...kept.values()]
                .filter((version) => version.key.startsWith(prefix) && version.key > key(after))
                .flatMap((version) => version.at(at) ?? [])
                .filter(({ value }) => value !== undefined)
                .sort((a, b) => (a.key < b.key ? -1 : 1));
              const { entries, remaining } = index.scan(prefix, key(after), limit, at);
              expect(entries).toEqual(expected.slice(0, limit));
              expect(remaining).toBe(Math.max(0, expected.length - limit));
            }
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});
