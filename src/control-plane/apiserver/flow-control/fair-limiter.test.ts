import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { FairLimiter } from './fair-limiter.ts';

const LIMITS = { total: 4, perFlow: 2, maxWaiting: 3, maxWaitMs: 1000 };

/** Creates a limiter, and requests by name that record when they are admitted. */
function scene(limits = LIMITS) {
  const clock = new FakeClock();
  const limiter = new FairLimiter(limits, clock);
  const admitted: string[] = [];
  const acquire = async (flow: string, name: string, amount = 1): Promise<void> => {
    await limiter.acquire(flow, amount);
    admitted.push(name);
  };
  return { clock, limiter, admitted, acquire };
}

describe('a flow', () => {
  test('never exceeds its limit, and waiting requests are admitted in order', async () => {
    const { clock, limiter, admitted, acquire } = scene();
    for (const name of ['a1', 'a2', 'a3', 'a4']) void acquire('a', name);
    await clock.advance(0);
    expect(admitted).toEqual(['a1', 'a2']);
    limiter.release('a');
    limiter.release('a');
    await clock.advance(0);
    expect(admitted).toEqual(['a1', 'a2', 'a3', 'a4']);
  });

  test('with many requests does not delay another flow', () => {
    const { limiter } = scene();
    void limiter.acquire('a');
    void limiter.acquire('a');
    expect(limiter.acquire('a')).toBeInstanceOf(Promise);
    expect(limiter.acquire('b')).toBeUndefined();
  });

  test('is rejected if too many of its requests wait', () => {
    const { limiter } = scene();
    for (let i = 0; i < 5; i++) void limiter.acquire('a');
    expect(() => limiter.acquire('a')).toThrow('queue-full');
    expect(limiter.acquire('b')).toBeUndefined();
  });

  test('is rejected after the maximum wait, and then holds nothing', async () => {
    const { clock, limiter } = scene();
    void limiter.acquire('a', 2);
    const late = expect(limiter.acquire('a')).rejects.toThrow('time-out');
    await clock.advance(1000);
    await late;
    limiter.release('a', 2);
    expect(limiter.held).toBe(0);
    expect(limiter.waiting).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test('that requests more than its limit gets the limit', () => {
    const { limiter } = scene();
    expect(limiter.acquire('a', 100)).toBeUndefined();
    expect(limiter.held).toBe(2);
    limiter.release('a', 100);
    expect(limiter.held).toBe(0);
  });
});

test('waiting flows are admitted in turn', async () => {
  const { clock, limiter, admitted, acquire } = scene({ ...LIMITS, total: 1, perFlow: 1 });
  void acquire('x', 'x');
  for (const name of ['a1', 'a2', 'a3']) void acquire('a', name);
  for (const name of ['b1', 'b2']) void acquire('b', name);
  for (const flow of ['x', 'a', 'b', 'a', 'b', 'a']) {
    await clock.advance(0);
    limiter.release(flow);
  }
  await clock.advance(0);
  expect(admitted).toEqual(['x', 'a1', 'b1', 'a2', 'b2', 'a3']);
});

test('limits always hold, no capacity is lost, and a request waits only if it does not fit', async () => {
  const step = fc.oneof(
    fc.record({ flow: fc.constantFrom('a', 'b', 'c'), amount: fc.integer({ min: 1, max: 3 }) }),
    fc.constant('release' as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { clock, limiter } = scene({ total: 5, perFlow: 3, maxWaiting: 4, maxWaitMs: 1000 });
      const held: { flow: string; amount: number }[] = [];
      const waiting = new Set<{ flow: string; amount: number }>();
      for (const each of steps) {
        if (each === 'release') {
          const first = held.shift();
          if (first !== undefined) limiter.release(first.flow, first.amount);
        } else {
          try {
            const turn = limiter.acquire(each.flow, each.amount);
            if (turn === undefined) held.push(each);
            else {
              waiting.add(each);
              void turn.then(() => waiting.delete(each) && held.push(each));
            }
          } catch {
            expect([...waiting].filter(({ flow }) => flow === each.flow)).toHaveLength(4);
          }
        }
        await clock.advance(0);
        const sum = (flow?: string) =>
          held
            .filter((one) => flow === undefined || one.flow === flow)
            .reduce((total, { amount }) => total + amount, 0);
        expect(limiter.held).toBe(sum());
        expect(sum()).toBeLessThanOrEqual(5);
        for (const flow of ['a', 'b', 'c']) expect(sum(flow)).toBeLessThanOrEqual(3);
        expect(limiter.waiting).toBe(waiting.size);
        // Requests that fit the limit of their flow wait only for one of them that is too large for the total: it is
        // next, and would starve if smaller ones went before it.
        const fitting = ['a', 'b', 'c']
          .map((flow) => [...waiting].find((one) => one.flow === flow))
          .filter((first) => first !== undefined && sum(first.flow) + first.amount <= 3);
        if (fitting.length > 0)
          expect(Math.max(...fitting.map((first) => first?.amount ?? 0)) + sum()).toBeGreaterThan(5);
      }
    }),
    {
      examples: [
        [
          [
            { flow: 'b', amount: 2 },
            { flow: 'c', amount: 3 },
            { flow: 'a', amount: 3 },
            { flow: 'b', amount: 1 },
            'release',
          ],
        ],
      ],
    },
  );
});
