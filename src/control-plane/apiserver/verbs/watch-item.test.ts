import { expect, test } from 'vitest';
import { ParsedObjects } from '../parsed-objects.ts';
import { WatchItems } from './watch-item.ts';

test('an event is the same line for all its watchers, whatever came between', () => {
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
