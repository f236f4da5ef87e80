import { beforeEach, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { FullDisk } from './full-disk.ts';

let clock: FakeClock;
let available: number;
let resumed: number;
let disk: FullDisk;
beforeEach(() => {
  clock = new FakeClock();
  [available, resumed] = [0, 0];
  disk = new FullDisk({
    clock,
    availableBytes: async () => available,
    resume: async () => {
      resumed += 1;
    },
  });
});

it('resumes a machine when there is room again', async () => {
  disk.observe('io-error');
  disk.observe('io-error');
  await clock.advance(60_000);
  expect(disk.isFull).toBe(true);
  expect(resumed).toBe(0);
  available = 2 ** 30;
  await clock.advance(5_000);
  expect(resumed).toBe(1);
  expect(disk.isFull).toBe(false);
});

it('leaves a machine alone that runs, or was paused by somebody', async () => {
  available = 2 ** 30;
  for (const state of ['running', 'paused']) disk.observe(state);
  disk.observe('io-error');
  disk.observe('running');
  await clock.advance(60_000);
  expect(resumed).toBe(0);
});
