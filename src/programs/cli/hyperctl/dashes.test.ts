import { Option } from 'commander';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { doubleDashed } from './dashes.ts';

const OPTIONS = [
  new Option('--op <operation>', ''),
  new Option('--memory <quantity>', ''),
  new Option('-n, --namespace <name>', ''),
  new Option('-A, --all-namespaces', ''),
  new Option('--wait', ''),
  new Option('--no-live', ''),
];

describe('flags with one dash', () => {
  it.each<[string, string[]]>([
    ['-op vm-list', ['--op=vm-list']],
    ['--op vm-list', ['--op=vm-list']],
    ['-op=vm-list', ['--op=vm-list']],
    ['-memory -5Gi -wait', ['--memory=-5Gi', '--wait']],
    ['-memory', ['--memory']],
    ['-n default -A', ['-n', 'default', '-A']],
    ['-n -op', ['-n', '-op']],
    ['-wait=true -wait=1', ['--wait', '--wait']],
    ['-wait=false', []],
    ['-live -live=true', []],
    ['-live=false', ['--no-live']],
    ['-no-live', ['--no-live']],
    ['-nothing 3', ['--nothing', '3']],
    ['--nothing=3 word', ['--nothing=3', 'word']],
    ['-wait -- -op x', ['--wait', '--', '-op', 'x']],
  ])('are read as those with two: %s', (words, read) => {
    expect(doubleDashed(words.split(' '), OPTIONS)).toEqual(read);
  });

  it('take true or false if they are booleans', () => {
    expect(() => doubleDashed(['-wait=perhaps'], OPTIONS)).toThrow('-wait=perhaps: it must be true or false');
  });

  it('pass every value on unchanged', () => {
    fc.assert(
      fc.property(fc.string(), fc.boolean(), (value, isInline) => {
        const words = isInline ? [`-memory=${value}`] : ['-memory', value];
        expect(doubleDashed([...words, '-wait'], OPTIONS)).toEqual([`--memory=${value}`, '--wait']);
      }),
    );
  });
});
