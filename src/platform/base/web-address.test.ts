import { expect, it } from 'vitest';
import { isOnWeb, shownAddress } from './web-address.ts';

it.each([
  ['https://images.example.org/a.qcow2', 'https://images.example.org/a.qcow2'],
  ['http://ann:secret@images.example.org:8080/a.qcow2', 'http://images.example.org:8080/a.qcow2'],
  ['https://bucket.example.org/a.qcow2?X-Signature=secret#part', 'https://bucket.example.org/a.qcow2?...'],
  ['s3://bucket/a.qcow2', 's3://bucket/a.qcow2'],
  ['http://', 'http://'],
])('%s is displayed as %s', (address, shown) => {
  expect(shownAddress(address)).toBe(shown);
});

it.each([
  ['https://images.example.org/a.qcow2', true],
  ['HTTP://images.example.org/a.qcow2', true],
  ['docker://team/debian:12', false],
  ['debian:12', false],
])('%s is a web address: %s', (address, expected) => {
  expect(isOnWeb(address)).toBe(expected);
});
