import type { FlagName } from '../objects/flags.ts';

export interface HyperctlCall {
  readonly about: string;
  readonly needs: readonly FlagName[];
  /** Optional flags, in addition to the required ones. */
  readonly takes: readonly FlagName[];
}

const GROUP_FLAGS: readonly FlagName[] = ['group'];
const OUTPUT_FLAGS: readonly FlagName[] = ['output', 'wait', 'timeout'];
const OPERATION_FLAGS: readonly FlagName[] = [...GROUP_FLAGS, 'ttl', ...OUTPUT_FLAGS];
const SIZE_FLAGS: readonly FlagName[] = ['cpus', 'memory', 'disk', 'checksum'];
const LIST_FLAGS: readonly FlagName[] = ['selector', 'allNamespaces', 'output'];

/** Operations of `hyperctl k8s`, with the flags that each of them requires and accepts. */
export const OPERATIONS = {
  'vm-list': {
    about: 'list VMs of every API group',
    needs: [],
    takes: ['group', 'status', 'node', 'minCpus', 'minMemory', 'watch', ...LIST_FLAGS],
  },
  'vm-get': { about: 'show a VM', needs: ['vm'], takes: [...GROUP_FLAGS, 'output', 'watch'] },
  'vm-describe': { about: 'show details of a VM', needs: ['vm'], takes: GROUP_FLAGS },
  'vm-create': {
    about: 'print a VirtualMachine; without -vm, prompts for its settings on a terminal',
    needs: ['vm'],
    takes: [
      ...GROUP_FLAGS,
      ...SIZE_FLAGS,
      'image',
      'template',
      'templateNamespace',
      'userData',
      'labels',
      'stopped',
      ...OUTPUT_FLAGS,
    ],
  },
  'vm-start': { about: 'print a VMOperation that starts a VM', needs: ['vm'], takes: OPERATION_FLAGS },
  'vm-stop': { about: 'print a VMOperation that stops a VM', needs: ['vm'], takes: ['force', ...OPERATION_FLAGS] },
  'vm-restart': {
    about: 'print a VMOperation that restarts a VM',
    needs: ['vm'],
    takes: ['force', ...OPERATION_FLAGS],
  },
  'vm-clone': {
    about: 'print a VMOperation that clones a VM, or its -snapshot',
    needs: ['vm', 'target'],
    takes: ['targetNamespace', 'linked', 'start', 'snapshot', ...OPERATION_FLAGS],
  },
  'vm-migrate': {
    about: 'print a VMOperation that migrates a VM to another node',
    needs: ['vm'],
    takes: ['targetNode', 'live', 'bandwidth', 'autoConverge', 'postCopy', ...OPERATION_FLAGS],
  },
  'vm-resize': {
    about: 'print a VMOperation that resizes a VM: -cpus, -memory or both',
    needs: ['vm'],
    takes: ['cpus', 'memory', 'hotplug', ...OPERATION_FLAGS],
  },
  'vm-restore': {
    about: 'print a VMOperation that restores a VM from a snapshot',
    needs: ['vm', 'snapshot'],
    takes: OPERATION_FLAGS,
  },
  'vm-delete': { about: 'print a VMOperation that deletes a VM', needs: ['vm'], takes: ['force', ...OPERATION_FLAGS] },
  'vm-snapshot-create': {
    about: 'print a VMSnapshot of a VM',
    needs: ['vm'],
    takes: [
      ...GROUP_FLAGS,
      'snapshot',
      'includeMemory',
      'quiesce',
      'description',
      'keepDays',
      'keepCount',
      'expiresAt',
      ...OUTPUT_FLAGS,
    ],
  },
  'vm-snapshot-list': {
    about: 'list snapshots of all VMs, or of one',
    needs: [],
    takes: ['vm', ...GROUP_FLAGS, ...LIST_FLAGS],
  },
  'vm-snapshot-delete': { about: 'delete a snapshot immediately', needs: ['snapshot'], takes: [] },
  'template-list': { about: 'list templates', needs: [], takes: LIST_FLAGS },
  'template-get': { about: 'show a template', needs: ['template'], takes: ['output'] },
  'template-create': {
    about: 'print a VMTemplate',
    needs: ['template', 'image'],
    takes: [
      ...SIZE_FLAGS,
      'displayName',
      'description',
      'templateVersion',
      'os',
      'distribution',
      'osVersion',
      ...OUTPUT_FLAGS,
    ],
  },
  status: {
    about: 'count VMs, templates, snapshots and operations',
    needs: [],
    takes: ['allNamespaces', 'output'],
  },
} as const satisfies Record<string, HyperctlCall>;

export type CallName = keyof typeof OPERATIONS;

/** Reports required flags that are missing, and flags that the operation does not accept. */
export function contradictions(op: CallName, said: readonly FlagName[]): string[] {
  const { needs, takes }: HyperctlCall = OPERATIONS[op];
  const missing = needs.filter((flag) => !said.includes(flag)).map(toDashed);
  const idle = said.filter((flag) => !needs.includes(flag) && !takes.includes(flag)).map(toDashed);
  return [
    ...(missing.length > 0 ? [`${op} needs ${missing.join(' and ')}.`] : []),
    ...(idle.length > 0 ? [`${op} takes no ${idle.join(', ')}.`] : []),
  ];
}

/** Formats a flag as hyperctl's users write it: includeMemory is -include-memory. */
export const toDashed = (flag: string) => `-${flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Formats all operations with their flags for the help. */
export function formatOperations(): string {
  const rows = Object.entries<HyperctlCall>(OPERATIONS).map(([name, { about, needs, takes }]) => {
    const flags = [...needs.map(toDashed), ...takes.map((flag) => `[${toDashed(flag)}]`)].join(' ');
    return `  ${name.padEnd(20)}${about}\n${flags === '' ? '' : `  ${' '.repeat(20)}${flags}\n`}`;
  });
  return `Operations:\n${rows.join('')}`;
}
