import { expect, it } from 'vitest';
import { oscillations } from './oscillation.ts';

const move = (vm: string, from: string, to: string, at: number) => ({ vm, from, to, at });

it('counts migrations back to an earlier node, and the time until then', () => {
  const moves = [
    move('x', 'a', 'b', 10),
    move('y', 'a', 'b', 20),
    move('x', 'b', 'a', 40),
    move('x', 'a', 'b', 100),
    move('y', 'b', 'c', 120),
    move('z', 'b', 'a', 130),
    move('z', 'a', 'b', 140),
  ];
  expect(oscillations(moves)).toEqual([
    { vm: 'x', moves: 3, returns: 2, soonest: 30 },
    { vm: 'z', moves: 2, returns: 1, soonest: 10 },
  ]);
});

it('is empty without returns', () => {
  expect(oscillations([move('x', 'a', 'b', 1), move('x', 'b', 'c', 2)])).toEqual([]);
});
