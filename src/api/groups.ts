/** API groups that have a VirtualMachine, by the names that select them in flags. */
export const GROUPS = {
  kubevirt: 'kubevirt.io',
  hypersdk: 'hypersdk.io',
  novacron: 'novacron.io',
  simulation: 'simulation.node-classifier.io',
} as const;

export type DialectName = keyof typeof GROUPS;
export type GroupName = (typeof GROUPS)[DialectName];

export const DIALECT_NAMES = Object.keys(GROUPS) as readonly DialectName[];
