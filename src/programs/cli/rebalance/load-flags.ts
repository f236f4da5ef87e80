import { type Command, InvalidArgumentError, Option } from 'commander';
import type { FleetModel } from '#fleet/rebalance/fleet-model';
import { generate, LOADS, type LoadName, MAX_SIZE } from '#fleet/rebalance/generate';
import { readScenarios } from '#fleet/rebalance/read-scenarios';
import { fleetOf, inconsistentNodes, type Scenario } from '#fleet/rebalance/scenario';
import { VimanaError } from '#platform/base/errors';
import { formatFieldError } from '#platform/base/field-error';
import { type Random, seededRandom } from '#platform/base/random';
import type { CheckedCommand, Given } from '../checked-command.ts';
import type { Io } from '../io.ts';
import { readTextFile } from '../manifest-files.ts';

/** Flags of a generated load. */
export interface GeneratedLoadFlags {
  readonly load: LoadName;
  readonly nodes?: number;
  readonly vms?: number;
  readonly seed: string;
}

/** Flags that select the load to work on. */
export interface LoadFlags extends GeneratedLoadFlags {
  readonly scenario?: string;
}

export interface RequestedLoad {
  readonly name: string;
  readonly fleet: FleetModel;
  readonly random: Random;
}

/** Adds the flags that select the load to work on. */
export function withLoadFlags(command: CheckedCommand): CheckedCommand {
  return withGeneratedLoadFlags(
    command.option('--scenario <file>', 'scenario file; FILE#NAME selects one of several'),
  ).refuses((_flags: LoadFlags, given) => besideFile(given));
}

/** Adds the flags of a generated load. */
export function withGeneratedLoadFlags(command: CheckedCommand): CheckedCommand {
  return command
    .addOption(new Option('--load <name>', 'generated load').choices(LOADS).default('mixed'))
    .option('--nodes <count>', 'nodes of the generated load', integerBetween(1, MAX_SIZE.nodes))
    .option('--vms <count>', 'VMs of the generated load', integerBetween(0, MAX_SIZE.vms))
    .option('--seed <text>', 'random seed', '1');
}

function besideFile(given: Given): string[] {
  if (!given('scenario')) return [];
  const beside = ['load', 'nodes', 'vms'].flatMap((name) => (given(name) ? [`--${name}`] : []));
  return beside.length === 0 ? [] : [`--scenario cannot be combined with ${beside.join(', ')}.`];
}

export function integerBetween(min: number, max: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

export function numberBetween(min: number, max: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}(\.\d{1,9})?$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
    throw new InvalidArgumentError(`It must be a number from ${min} to ${max}.`);
  };
}

/** Returns the load that the flags select. */
export function loadOf(io: Io, flags: LoadFlags): RequestedLoad {
  const random = seededRandom(flags.seed);
  const scenario = flags.scenario === undefined ? makeScenario(flags, random) : read(io, flags.scenario);
  const apart = inconsistentNodes(scenario);
  if (apart.length > 0) {
    const some = apart.slice(0, 3).join(', ');
    io.err(
      `warning: ${apart.length} nodes report a usage that differs from the sum of their VMs (${some}); using the sum\n`,
    );
  }
  return { name: scenario.name, fleet: fleetOf(scenario), random };
}

/** Generates a load in the form that scenario files use. */
export function generateLoad({ load, nodes, vms }: GeneratedLoadFlags, random: Random): ReturnType<typeof generate> {
  const size = { ...(nodes === undefined ? {} : { nodes }), ...(vms === undefined ? {} : { vms }) };
  return generate({ load, ...size }, random);
}

function makeScenario(flags: GeneratedLoadFlags, random: Random): Scenario {
  const { name, nodes: written } = generateLoad(flags, random);
  const [scenario] = readScenarios({ [name]: written }).scenarios;
  if (scenario === undefined) throw new Error('a generated load could not be read');
  return scenario;
}

function read(io: Io, place: string): Scenario {
  const [, file = place, desired] = /^(.*?)#([^#/]*)$/.exec(place) ?? [];
  const { scenarios, causes } = readScenarios(parseFile(io, file));
  if (causes.length > 0) {
    const list = causes.map((cause) => `\n  ${formatFieldError(cause)}`).join('');
    throw new VimanaError('REFUSED', `${file} is not a scenario file:${list}`);
  }
  const names = scenarios.map(({ name }) => name).join(', ');
  const [first, second] = scenarios;
  if (desired === undefined && second !== undefined) {
    throw new VimanaError('REFUSED', `${file} contains several scenarios: ${names}`, {
      hint: `Select one: ${file}#${first?.name}`,
    });
  }
  const found = desired === undefined ? first : scenarios.find(({ name }) => name === desired);
  if (found === undefined)
    throw new VimanaError('NOT_FOUND', `${file} does not contain the scenario "${desired}"; it contains ${names}`);
  return found;
}

function parseFile(io: Io, file: string): unknown {
  const text = readTextFile(io, file);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new VimanaError('REFUSED', `${file} is not JSON: ${(error as Error).message}`, { cause: error });
  }
}

/** Returns a parser for names that are separated by commas. */
function splitNames<T extends { readonly id: string }>(all: readonly T[]): (text: string) => readonly T[] {
  return (text) =>
    text.split(',').map((name) => {
      const found = all.find(({ id }) => id.toLowerCase() === name.trim().toLowerCase());
      if (found !== undefined) return found;
      throw new InvalidArgumentError(`${name} is not one of ${all.map(({ id }) => id).join(', ')}.`);
    });
}

/** Returns a flag that selects some of all entries. Defaults to all. */
export const someOption = (flags: string, all: readonly { readonly id: string }[]) =>
  new Option(flags, `only these: ${all.map(({ id }) => id).join(', ')}`).argParser(splitNames(all)).default(all, 'all');

/** Returns a parser for exactly one name. */
export function theOnly<T extends { readonly id: string }>(all: readonly T[]): (text: string) => T {
  const list = splitNames(all);
  return (text) => {
    const [first, second] = list(text);
    if (first === undefined || second !== undefined) throw new InvalidArgumentError('It must be a single name.');
    return first;
  };
}

/** Adds a subcommand to a command. */
export const sub = (parent: Command, name: string): CheckedCommand => parent.command(name) as CheckedCommand;
