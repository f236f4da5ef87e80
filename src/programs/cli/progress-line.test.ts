import { expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { ProgressLine } from './progress-line.ts';

it('shows nothing in the first second, then at most ten states per second, and removes the line', async () => {
  const [clock, lines] = [new FakeClock(), [] as string[]];
  const progress = new ProgressLine({ rewrite: (text) => void lines.push(text) }, clock);
  for (let at = 0; at < 130; at++) {
    progress.show(() => `${at}`);
    await clock.advance(10);
  }
  progress.clear();
  progress.clear();
  expect(lines).toEqual(['100', '110', '120', '']);
});

it('shows and removes nothing without a terminal', async () => {
  const clock = new FakeClock();
  const progress = new ProgressLine({}, clock);
  await clock.advance(5_000);
  let asked = 0;
  progress.show(() => `${++asked}`);
  progress.clear();
  expect(asked).toBe(0);
});
