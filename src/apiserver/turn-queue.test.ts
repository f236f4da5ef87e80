import { describe, expect, it } from 'vitest';
import { type Clock, realClock } from '../base/clock.ts';
import { FakeClock } from '../base/fake-clock.ts';
import { TurnQueue } from './turn-queue.ts';

/** Counts the rounds of the event loop that somebody has waited for. */
function countingClock(): { clock: Clock; rounds: () => number } {
  let rounds = 0;
  const turn = async (): Promise<void> => {
    rounds++;
    await realClock.turn?.();
  };
  return { clock: { ...realClock, turn }, rounds: () => rounds };
}

describe('turns', () => {
  it('are given one at a time, with rounds for everything short in between', async () => {
    const { clock, rounds } = countingClock();
    const queue = new TurnQueue(clock);
    const [first = 0, second = 0, third = 0] = await Promise.all(
      [1, 2, 3].map(async () => {
        await queue.take('ann');
        return rounds();
      }),
    );
    expect(Math.min(second - first, third - second)).toBeGreaterThanOrEqual(3);
  });

  it('go from user to user, however much one of them has to do', async () => {
    const queue = new TurnQueue(countingClock().clock);
    const order: string[] = [];
    const users = ['mallory', 'mallory', 'mallory', 'mallory', 'ann', 'bob', 'ann'];
    await Promise.all(users.map(async (user) => queue.take(user)?.then(() => order.push(user))));
    expect(order).toEqual(['mallory', 'ann', 'bob', 'mallory', 'ann', 'mallory', 'mallory']);
  });

  it('are given again after a while without any', async () => {
    const queue = new TurnQueue(countingClock().clock);
    await queue.take('ann');
    await realClock.turn?.();
    await expect(queue.take('ann')).resolves.toBeUndefined();
  });

  it('are nothing to wait for where the clock has none', () => {
    expect(new TurnQueue(new FakeClock()).take('ann')).toBeUndefined();
  });
});
