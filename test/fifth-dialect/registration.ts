import { VM_FINALIZER } from '#api/instance-request';
import { invalid } from '#platform/base/field-error';
import type { Admitter } from '#vm/admission/admitter';
import type { DialectRegistration } from '#vm/dialects/registration';
import { example } from './dialect.ts';
import { virtualMachine } from './virtual-machine.ts';

const admitter: Admitter<typeof virtualMachine> = {
  kind: virtualMachine,
  finalizer: VM_FINALIZER,
  validate: ({ object: { spec } }) => ({
    causes: spec.cores === 13 ? [invalid('spec.cores', spec.cores, 'must not be 13')] : [],
    warnings: [],
  }),
};

export const exampleRegistration: DialectRegistration = {
  dialect: example,
  admitters: [admitter],
  newVmSpec: ({ cpus, memory, running }) => ({ cores: cpus, ram: memory, running }),
  example: 'test/fifth-dialect/vm.yaml',
};
