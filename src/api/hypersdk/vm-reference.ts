import { choice, object, required, string } from '#platform/schema/schema';
import type { GroupName } from '../group-name.ts';

const groups = [
  'hypersdk.io',
  'kubevirt.io',
  'novacron.io',
  'simulation.node-classifier.io',
] as const satisfies readonly GroupName[];

export const vmRef = object('The machine that is meant; it may belong to any of the groups.', {
  name: required(string('Name of the VirtualMachine.', { minLength: 1, maxLength: 63 })),
  namespace: string(
    'Namespace of the VirtualMachine; the own one when left out. Another must allow it: its annotation vimana.io/operations-from names this one among others, with commas, or is *.',
    { maxLength: 63 },
  ),
  apiGroup: choice('API group of the VirtualMachine; hypersdk.io when empty.', ['', ...groups]),
  kind: choice('Kind of the object; always VirtualMachine.', ['', 'VirtualMachine']),
});
