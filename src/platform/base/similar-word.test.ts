import { expect, it } from 'vitest';
import { similarWord } from './similar-word.ts';

const NAMES = ['guest', 'maxGuest', 'cpus', 'memory', 'runStrategy', 'disk', 'lun'];

it.each([
  ['gest', 'guest'],
  ['geust', 'guest'],
  ['cpu', 'cpus'],
  ['runstrategy', 'runStrategy'],
  ['runStrategi', 'runStrategy'],
  ['maxguest', 'maxGuest'],
  ['dsk', 'disk'],
  ['mem', 'memory'],
  ['wings', undefined],
  ['', undefined],
  ['x', undefined],
])('%s is corrected to %s', (word, expected) => {
  expect(similarWord(word, NAMES)).toBe(expected);
});
