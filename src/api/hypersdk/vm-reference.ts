import { choice, object, requiredField, string } from '#platform/schema/schema';
import { GROUPS } from '../groups.ts';

const groups = Object.values(GROUPS).toSorted();

export const vmRef = object('VirtualMachine of any of the groups.', {
  name: requiredField(string('Name of the VirtualMachine.', { minLength: 1, maxLength: 63 })),
  namespace: string(
    'Namespace of the VirtualMachine. Defaults to that of this object. Another namespace must allow it: its annotation vimana.io/operations-from must list this one (comma-separated) or be *.',
    { maxLength: 63 },
  ),
  apiGroup: choice('API group of the VirtualMachine. Defaults to hypersdk.io.', ['', ...groups]),
  kind: choice('Kind of the object; always VirtualMachine.', ['', 'VirtualMachine']),
});
