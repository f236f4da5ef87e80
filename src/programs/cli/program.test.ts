import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { realClock } from '#platform/base/clock';
import { IDLE_STARTERS } from '#testing/idle-starters';
import { vimanaProgram } from './program.ts';

const program = vimanaProgram({
  io: { out: () => {}, err: () => {}, read: () => '', manifestsAt: () => [] },
  version: '0',
  clock: realClock,
  signal: new AbortController().signal,
  starters: IDLE_STARTERS,
});
const named = (path: string) =>
  path.split(' ').reduce<Command | undefined>((at, name) => at?.commands.find((each) => each.name() === name), program);

const helpOf = (command: Command | undefined) => command?.helpInformation().replaceAll(/\s+/g, ' ') ?? '';

describe('the help of commands', () => {
  it.each([
    ['up', '--node-lost-after', '40s'],
    ['up', '--stage-delay', '0s'],
    ['vm start', '--timeout', '5m'],
  ])('shows durations as they are written: %s %s', (path, flag, fallback) => {
    const [, text = ''] = helpOf(named(path)).split(`${flag} `);
    expect(/default: [^)]*/.exec(text)?.[0]).toBe(`default: ${fallback}`);
  });

  it.each(['up', 'nodes', 'apiserver', 'vm create'])('shows no default that cannot be typed: %s', (path) => {
    expect(helpOf(named(path))).not.toMatch(/default: [{[]/);
  });
});
