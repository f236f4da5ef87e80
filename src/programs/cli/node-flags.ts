import { InvalidArgumentError, Option } from 'commander';
import type { CheckedCommand, Given } from './checked-command.ts';

/** Flags that select the simulated nodes. */
export interface NodeFlags {
  readonly nodeSize: string;
  readonly nodePrefix: string;
  readonly zones: number;
  readonly nodeLabels?: Readonly<Record<string, string>>;
  readonly nodeResources?: Readonly<Record<string, string>>;
  readonly nodeFile?: string;
}

/** Twice as many as Kubernetes supports. More would not fit in the memory of most hosts. */
const MAX_NODES = 10_000;

/** Fields that `--node-size` sets. Setting one of them elsewhere too would be ambiguous. */
const SIZED = ['cpu', 'memory', 'pods', 'ephemeral-storage'];

/** Adds the flags that select the simulated nodes. The name of the count flag and its default differ by command. */
export function nodeFlags(command: CheckedCommand, count: 'nodes' | 'count', fallback = 5): CheckedCommand {
  return command
    .option(`--${count} <count>`, 'number of simulated nodes', wholeNumber(0, MAX_NODES), fallback)
    .option('--node-size <size>', 'size of each node', '32cpu,128Gi')
    .option('--node-prefix <name>', 'prefix of node names: node gives node-1, node-2', 'kwok-node-')
    .option('--zones <count>', 'number of zones to spread the nodes over', wholeNumber(1, MAX_NODES), 1)
    .addOption(new Option('--node-labels <key=value,...>', 'labels of every node').argParser(pairs))
    .addOption(
      new Option(
        '--node-resources <name=amount,...>',
        'extended resources of every node, such as nvidia.com/gpu=1',
      ).argParser(furtherResources),
    )
    .option('--node-file <file>', 'file with node pools, instead of the flags above')
    .refuses((_flags: NodeFlags, given) => besideFile(given, count));
}

function besideFile(given: Given, count: string): string[] {
  if (!given('nodeFile')) return [];
  const names = {
    [count]: `--${count}`,
    nodeSize: '--node-size',
    nodePrefix: '--node-prefix',
    zones: '--zones',
    nodeLabels: '--node-labels',
    nodeResources: '--node-resources',
  };
  const beside = Object.entries(names).flatMap(([name, flag]) => (given(name) ? [flag] : []));
  return beside.length === 0 ? [] : [`--node-file cannot be combined with ${beside.join(', ')}.`];
}

/** Parses pairs, and adds them to those of earlier occurrences of the flag. */
function pairs(text: string, before: Record<string, string> | undefined): Record<string, string> {
  const all: Record<string, string> = { ...before };
  for (const pair of text.split(',')) {
    const at = pair.indexOf('=');
    if (at <= 0) throw new InvalidArgumentError(`"${pair}" must be name=value.`);
    const name = pair.slice(0, at).trim();
    if (Object.hasOwn(all, name)) throw new InvalidArgumentError(`${name} is set twice.`);
    all[name] = pair.slice(at + 1).trim();
  }
  return all;
}

function furtherResources(text: string, before: Record<string, string> | undefined): Record<string, string> {
  const all = pairs(text, before);
  const sized = SIZED.filter((name) => Object.hasOwn(all, name));
  if (sized.length === 0) return all;
  const size = sized.map((name) => (name === 'cpu' ? `${all[name]}cpu` : `${name}=${all[name]}`)).join(',');
  throw new InvalidArgumentError(`${sized.join(', ')} must be set with --node-size, for example --node-size ${size}.`);
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    if (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}
