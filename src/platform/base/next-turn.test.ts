import { expect, it } from 'vitest';
import { nextTurn } from './next-turn.ts';

it('lets ready promises continue first, and keeps the order', async () => {
  const order: string[] = [];
  const second = new Promise<void>((resolve) => {
    nextTurn(() => order.push('first turn'));
    nextTurn(() => {
      order.push('second turn');
      resolve();
    });
  });
  void Promise.resolve().then(() => order.push('promise'));
  await second;
  expect(order).toEqual(['promise', 'first turn', 'second turn']);
});
