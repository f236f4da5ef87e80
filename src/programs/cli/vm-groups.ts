import { KINDS } from '#api/kinds';
import type { Kind } from '#platform/schema/kind';

/** Kinds of VirtualMachines, one of each API group. */
export const VM_KINDS: readonly Kind[] = KINDS.filter(({ kind }) => kind === 'VirtualMachine');
export const VM_GROUPS: readonly string[] = VM_KINDS.map(({ group }) => group);
