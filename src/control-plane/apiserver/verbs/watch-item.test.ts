import { expect, test } from 'vitest';
import { builtInResources } from '../builtin-resources.ts';
import { kindParts } from '../kind-parts.ts';
import { ParsedObjects } from '../parsed-objects.ts';
import type { Resource } from '../resource.ts';
import type { StoreEvent } from '../store/store.ts';
import { WatchItems } from './watch-item.ts';

const configMaps = builtInResources(kindParts).find(({ kind }) => kind === 'ConfigMap') as Resource;

test('an event is formatted as the same line for all watchers, whatever came in between', () => {
  const items = new WatchItems(new ParsedObjects());
  const added = { type: 'ADDED', text: '{"a":1}' } as const;
  const changed = { type: 'MODIFIED', text: '{"a":1}' } as const;
  const other = { type: 'ADDED', text: '{"a":2}' } as const;
  const lines = [added, added, changed, added, other, added].map((item) => items.line(item));
  expect(lines).toEqual([
    '{"type":"ADDED","object":{"a":1}}\n',
    '{"type":"ADDED","object":{"a":1}}\n',
    '{"type":"MODIFIED","object":{"a":1}}\n',
    '{"type":"ADDED","object":{"a":1}}\n',
    '{"type":"ADDED","object":{"a":2}}\n',
    '{"type":"ADDED","object":{"a":1}}\n',
  ]);
});

test('the last state of a deleted object is computed once for its watchers, and released after many others', async () => {
  const items = new WatchItems(new ParsedObjects());
  const deletion = (revision: number): StoreEvent => {
    const value = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c${revision}"}}`;
    const previous = { key: `/c${revision}`, value, revision: 1, createRevision: 1, memo: undefined };
    return { type: 'delete', key: previous.key, revision, entry: undefined, previous };
  };
  const first = deletion(2);
  const { object, text } = await items.gone(configMaps, first);
  expect(text).toContain('"resourceVersion":"2"');
  expect((await items.gone(configMaps, first)).object).toBe(object);
  for (let revision = 3; revision < 1_000; revision++) await items.gone(configMaps, deletion(revision));
  const again = await items.gone(configMaps, first);
  expect(again.object).not.toBe(object);
  expect(again.text).toBe(text);
});
