import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { realClock } from '#platform/base/clock';
import type { Client } from '#platform/kube/client';
import { runCommand } from '#testing/command-harness';
import { IDLE_STARTERS } from '#testing/idle-starters';
import { positionOf } from '../completion/position.ts';
import { vimanaProgram } from '../program.ts';
import { EXAMPLES } from './examples.ts';

const run = (line: string) => runCommand({} as Client, line === '' ? [] : line.split(' '));

const io = { out: () => {}, err: () => {}, read: () => '', manifestsAt: () => [] };
const parts = { io, version: '0', clock: realClock, signal: new AbortController().signal, starters: IDLE_STARTERS };

describe('vimana help', () => {
  it('lists the commands in groups, with examples', async () => {
    const { code, out } = await run('help');
    expect(code).toBe(0);
    expect(out).toBe((await run('--help')).out);
    const headings = out.split('\n').filter((line) => /^[A-Z].*:$/.test(line));
    expect(headings).toEqual([
      'Options:',
      'Run a cluster:',
      'Work with VMs:',
      'Simulate and rebalance:',
      'Check and print manifests:',
      'Use another cluster:',
      'Other commands:',
      'Examples:',
    ]);
    expect(out).toMatch(/Work with VMs:\n {2}vm .*\n[^]*vimana vm list .*# list VMs of every API group/);
  });

  it.each(['vm', 'vm create', 'simulate', 'explain vm'])('shows the help of %s', async (command) => {
    const { code, out } = await run(`help ${command}`);
    expect(code).toBe(0);
    expect(out).toBe((await run(`${command} --help`)).out);
    expect(out).toContain(`Usage: vimana ${command}`);
  });

  it('suggests the command that is probably meant', async () => {
    expect(await run('help vm crate')).toEqual({
      code: 2,
      out: '',
      err: 'error: vimana vm has no command crate\nDid you mean create? List its commands with: vimana vm --help\n',
    });
  });
});

it('vimana version prints the same as --version', async () => {
  expect(await run('version')).toEqual({ code: 0, out: '0\n', err: '' });
  expect((await run('--version')).out).toBe('0\n');
});

it.each([
  ['vms', '(Did you mean vm?)'],
  ['hlep', '(Did you mean help?)'],
  ['get vm', '(Did you mean vm get?)'],
  ['migrate web', '(Did you mean vm migrate?)'],
  ['frobnicate', 'List all commands with: vimana --help'],
])('the unknown command %s is explained', async (line, message) => {
  const { code, out, err } = await run(line);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(message);
});

describe('an example', () => {
  const examples = Object.entries(EXAMPLES).flatMap(([path, all]) => all.map(([line]) => [path, line] as const));

  it.each(examples)('of %s can be typed: %s', (_path, line) => {
    const [name, ...words] = line.split(' ');
    expect(name).toBe('vimana');
    const program = vimanaProgram(parts);
    const { command } = positionOf(program, [...words, '']);
    const known = new Set(flagsOf(command));
    const unknown = words.filter((word) => word.startsWith('-') && !known.has(word));
    expect({ unknown, isCommand: command !== program || words[0] === undefined }).toEqual({
      unknown: [],
      isCommand: true,
    });
  });

  it('is that of a command which exists', () => {
    const program = vimanaProgram(parts);
    for (const path of Object.keys(EXAMPLES)) {
      const words = path.split(' ').slice(1);
      const found = words.reduce<Command | undefined>(
        (at, word) => at?.commands.find((each) => each.name() === word),
        program,
      );
      expect(found, path).toBeDefined();
    }
  });
});

function flagsOf(command: Command): string[] {
  const own = command.options.flatMap(({ long, short }) => [long ?? '', short ?? '']);
  return command.parent === null ? own : [...own, ...flagsOf(command.parent)];
}
