import { expect, test } from 'vitest';
import { fieldPlaces } from './field-places.ts';
import { readManifest } from './manifest.ts';

const TEXT = `# A comment.
kind: One
spec:
  nodes:
    - name: a
      labels: { app.io/x: "1" }
    - { name: b, cpu: -1 }
---
kind: Two
spec:
  nodes: []
`;

test.each([
  [2, 'spec.nodes[0].name', '5:7'],
  [2, 'spec.nodes[0].labels[app.io/x]', '6:17'],
  [2, 'spec.nodes[1].cpu', '7:18'],
  [2, 'spec.nodes[1].memory', '7:7'],
  [2, 'spec.nodes[7].name', '4:3'],
  [2, 'spec.duration', '3:1'],
  [2, 'metadata.name', '2:1'],
  [2, '', '2:1'],
  [9, 'spec.nodes', '11:3'],
  [50, 'spec.nodes', '50:1'],
])('in the object of line %d, %s is at %s', (line, field, expected) => {
  const { line: found, column } = fieldPlaces(TEXT)({ line }, field);
  expect(`${found}:${column}`).toBe(expected);
});

test('the items of a List have their own positions', () => {
  const text =
    'apiVersion: v1\nkind: List\nitems:\n  - kind: One\n    spec: {a: 1}\n  - kind: Two\n    spec:\n      b: 2\n';
  const places = fieldPlaces(text);
  const found = readManifest(text).documents.map((document) => [places(document, ''), places(document, 'spec.b')]);
  expect(found).toEqual([
    [
      { line: 4, column: 5 },
      { line: 5, column: 5 },
    ],
    [
      { line: 6, column: 5 },
      { line: 8, column: 7 },
    ],
  ]);
});
