import { expect, test } from 'vitest';
import { fieldLine } from './manifest-line.ts';

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
  [2, 'spec.nodes[0].name', 5],
  [2, 'spec.nodes[0].labels[app.io/x]', 6],
  [2, 'spec.nodes[1].cpu', 7],
  [2, 'spec.nodes[1].memory', 7],
  [2, 'spec.nodes[7].name', 4],
  [2, 'spec.duration', 3],
  [2, 'metadata.name', 2],
  [2, '', 2],
  [9, 'spec.nodes', 11],
  [50, 'spec.nodes', 50],
])('in the object of line %d, %s is told of at line %d', (line, field, expected) => {
  expect(fieldLine(TEXT, line, field)).toBe(expected);
});
