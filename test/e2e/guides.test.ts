import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GUIDES } from '../guides/all.ts';
import { play } from '../guides/play.ts';
import { hasKubectl } from './support/kubectl.ts';

describe.skipIf(!hasKubectl())('a guide works as written', () => {
  it.each(GUIDES.filter(({ first }) => first))(
    '$name',
    async ({ file }) => {
      expect(await play(file)).toBeGreaterThan(0);
    },
    600_000,
  );
});

it('the guide to the simulator has a counterpart for every command of the documents', () => {
  const documented = resolve(import.meta.dirname, '../fixtures/documented/commands.txt');
  const guide = GUIDES.find(({ name }) => name === 'simulation.md');
  const rows = (guide?.text ?? '').split('\n').filter((line) => line.startsWith('| `'));
  const first = rows.map((row) => row.split(/(?<!\\)\|/)[1]?.replaceAll('\\|', '|') ?? '');
  const missing = readFileSync(documented, 'utf8')
    .trim()
    .split('\n')
    .filter((command) => !first.some((cell) => cell.includes(`\`${command}`)));
  expect(missing).toEqual([]);
});
