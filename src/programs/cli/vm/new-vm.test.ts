import { describe, expect, it } from 'vitest';
import { findAdmission } from '#vm/dialects/admitters';
import { VM_GROUPS } from '../vm-groups.ts';
import { newVm } from './new-vm.ts';

const admissionOf = findAdmission();

describe('a VM created from flags', () => {
  it.each(VM_GROUPS)('passes the admission of %s', (group) => {
    const machine = newVm({
      group,
      name: 'web',
      namespace: 'default',
      cpus: 2,
      memory: '2Gi',
      running: false,
      labels: { app: 'web' },
    });
    const admit = admissionOf(machine.apiVersion, machine.kind);
    const user = { name: 'somebody', groups: [] };
    const admitted = admit?.({ operation: 'CREATE', object: machine, user, lookup: () => undefined });
    expect(admitted?.causes).toEqual([]);
    expect(machine.metadata.labels).toEqual({ app: 'web' });
  });
});
