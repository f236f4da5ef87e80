import type { Command } from 'commander';

/** Headings of the list of all commands, each with its commands in the order of their use. */
const COMMAND_GROUPS: readonly (readonly [heading: string, commands: readonly string[]])[] = [
  ['Run a cluster:', ['up', 'ls', 'status', 'down', 'delete', 'image', 'backup', 'restore']],
  ['Work with VMs:', ['vm', 'pool', 'snapshot', 'template', 'explain', 'carbon']],
  ['Simulate and rebalance:', ['simulate', 'trace', 'rebalance', 'exporter']],
  ['Check and print manifests:', ['validate', 'crds', 'nodes']],
  ['Use another cluster:', ['install', 'uninstall', 'operator']],
];
const OTHERS = 'Other commands:';
const ORDER = COMMAND_GROUPS.flatMap(([, commands]) => commands);

/** Sorts commands by their groups, and gives each the heading under which help lists it. */
export function inGroups(commands: readonly Command[]): Command[] {
  for (const command of commands) command.helpGroup(headingOf(command.name()));
  return commands.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function headingOf(command: string): string {
  return COMMAND_GROUPS.find(([, commands]) => commands.includes(command))?.[0] ?? OTHERS;
}

function placeOf(command: Command): number {
  const place = ORDER.indexOf(command.name());
  return place === -1 ? ORDER.length : place;
}
