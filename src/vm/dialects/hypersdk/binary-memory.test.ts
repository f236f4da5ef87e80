import { expect, it } from 'vitest';
import { binaryMemory } from './binary-memory.ts';

it.each([
  ['8Gi', '8Gi'],
  ['1024Mi', '1024Mi'],
  ['1.5Gi', '1536Mi'],
  ['4G', '3906250Ki'],
  ['1073741824', '1Gi'],
  ['1000001', '977Ki'],
])('%s is converted to %s', (written, binary) => {
  expect(binaryMemory(written)).toBe(binary);
});
