import { expect, it } from 'vitest';
import { referenceNode } from './reference-node.ts';

it.each([
  ['32cpu,128Gi', { cpu: '32', memory: '128Gi' }],
  [' 2500mcpus,1G ', { cpu: '2500m', memory: '1G' }],
  ['8cores,16Gi', { cpu: '8', memory: '16Gi' }],
])('%s is a valid node size', (text, size) => {
  expect(referenceNode(text)).toEqual(size);
});

it.each(['', '32', '32cpu', '32cpu,', '0cpu,1Gi', '-1cpu,1Gi', '4cpu,0Gi', '4cpu,128', 'xcpu,1Gi', '1cpu,2Gi,3Gi'])(
  '"%s" is not a valid node size',
  (text) => {
    expect(() => referenceNode(text)).toThrow('such as 32cpu,128Gi');
  },
);
