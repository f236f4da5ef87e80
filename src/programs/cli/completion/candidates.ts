import type { Command, Option } from 'commander';
import { DIALECT_NAMES } from '#api/groups';
import { optionsOf, type Position } from './position.ts';

/** Text that can be typed, and its description. */
export interface Candidate {
  readonly value: string;
  readonly about?: string;
}

/** Names that only a cluster or a kubeconfig knows. */
export type LookedUpName = StoredResource | 'context' | 'cluster' | 'user';
export type StoredResource = 'machines' | 'snapshots' | 'templates' | 'pools' | 'pods' | 'nodes' | 'namespaces';
export type LookUp = (what: LookedUpName, position: Position) => Promise<readonly Candidate[]>;

export interface Completion {
  readonly candidates: readonly Candidate[];
  /** Kind of path that the shell completes itself. */
  readonly paths?: 'files' | 'folders';
}

/** Returns the candidates for the position of the cursor. */
export async function complete(position: Position, lookUp: LookUp): Promise<Completion> {
  const { command, at, typed, argument, words } = position;
  const fitting = (all: readonly Candidate[]): Completion => ({
    candidates: all.filter(({ value }) => value.startsWith(typed)),
  });
  if (at === 'flag') return fitting(flagsOf(command, position));
  if (at !== 'word') {
    const done = await valuesOf(at.value, position, lookUp);
    const prefix = at.inline ? `${at.value.long ?? ''}=` : '';
    const { candidates } = fitting(done.candidates);
    return { ...done, candidates: candidates.map((each) => ({ ...each, value: `${prefix}${each.value}` })) };
  }
  const commands = words.length === 0 ? subcommandsOf(command) : [];
  if (argument === undefined) return fitting(commands);
  if (argument.argChoices !== undefined) return fitting(argument.argChoices.map((value) => ({ value })));
  if (argument.name() === 'file') return { candidates: [], paths: 'files' };
  const looked = namedBy(command, words.length);
  const names = looked === undefined ? [] : await lookUp(looked, position);
  return fitting([...commands, ...names.filter(({ value }) => !words.includes(value))]);
}

function subcommandsOf(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ value: each.name(), about: each.description() }));
}

/** Returns the flags that are not set yet, and those that can be repeated. */
function flagsOf(command: Command, { flags }: Position): Candidate[] {
  return optionsOf(command)
    .filter((option) => option.variadic || option.long === '--help' || !flags.has(option.attributeName()))
    .flatMap(({ long, short, description }) =>
      [long, short].flatMap((value) => (typeof value === 'string' ? [{ value, about: description }] : [])),
    )
    .filter(({ value }, at, all) => all.findIndex((other) => other.value === value) === at);
}

const LOOKED: Readonly<Record<string, LookedUpName>> = {
  '--namespace': 'namespaces',
  '--watch-namespace': 'namespaces',
  '--leader-election-namespace': 'namespaces',
  '--context': 'context',
  '--cluster': 'cluster',
  '--user': 'user',
  '--vm': 'machines',
  '--snapshot': 'snapshots',
  '--template': 'templates',
  '--node': 'nodes',
  '--target-node': 'nodes',
};

async function valuesOf(option: Option, position: Position, lookUp: LookUp): Promise<Completion> {
  if (option.argChoices !== undefined) return { candidates: option.argChoices.map((value) => ({ value })) };
  const looked = LOOKED[option.long ?? ''];
  if (looked !== undefined) return { candidates: await lookUp(looked, position) };
  if (option.long === '--dialects') return { candidates: appendName(DIALECT_NAMES, position.typed) };
  if (/<file(?:\.\.\.)?>/.test(option.flags)) return { candidates: [], paths: 'files' };
  if (option.flags.includes('<directory>')) return { candidates: [], paths: 'folders' };
  return { candidates: [] };
}

/** Completes one more name in a list that is separated by commas. */
function appendName(names: readonly string[], typed: string): Candidate[] {
  const before = typed.split(',').slice(0, -1);
  return names.filter((name) => !before.includes(name)).map((name) => ({ value: [...before, name].join(',') }));
}

/** Resource that each argument of a command names, by position. Further arguments are like the last one. */
const NAMED: Readonly<Record<string, readonly (LookedUpName | undefined)[]>> = {
  'vm create': [undefined],
  'vm clone': ['machines', undefined],
  'vm restore': ['machines', 'snapshots'],
  'snapshot create': ['machines', undefined],
  'snapshot delete': ['snapshots'],
  'template get': ['templates'],
  'explain pod': ['pods'],
  'explain pool': ['pools'],
  'explain vm': ['machines'],
};

function namedBy(command: Command, place: number): LookedUpName | undefined {
  const above = command.parent?.name() ?? '';
  const named = NAMED[`${above} ${command.name()}`];
  if (named !== undefined) return named[Math.min(place, named.length - 1)];
  if (above === 'pool') return 'pools';
  return above === 'vm' ? 'machines' : undefined;
}
