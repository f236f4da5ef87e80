import { virtualMachine } from '#api/hypersdk/virtual-machine';
import type { Random } from '#platform/base/random';
import { newOperation, type OperationName } from '../objects/operation.ts';
import { newSnapshot } from '../objects/snapshot.ts';
import { newTemplate } from '../objects/template.ts';
import { newVm } from '../vm/new-vm.ts';
import type { CallFlags } from './call.ts';

export interface MadeFrom {
  readonly random: Random;
  /** Returns the text of a file that a flag names. */
  readonly textOf: (file: string) => string;
}

/** Builds the object of a call, for the reader to apply. */
export type Manifest = (flags: CallFlags, from: MadeFrom) => object;

const operation =
  (name: OperationName): Manifest =>
  ({ vm = '', group, namespace, ...flags }, { random }) =>
    newOperation(name, { vm, group, namespace }, flags, random);

/** Operations that print an object, and change nothing by themselves. */
export const MANIFESTS = {
  'vm-create': ({ vm = '', group = virtualMachine.group, ...flags }, { textOf }) =>
    newVm({
      ...flags,
      name: vm,
      group,
      cpus: flags.cpus ?? 1,
      memory: flags.memory ?? '1Gi',
      running: flags.stopped !== true,
      labels: flags.labels ?? {},
      ...(flags.userData === undefined ? {} : { userData: textOf(flags.userData) }),
    }),
  'vm-start': operation('start'),
  'vm-stop': operation('stop'),
  'vm-restart': operation('restart'),
  'vm-clone': operation('clone'),
  'vm-migrate': operation('migrate'),
  'vm-resize': operation('resize'),
  'vm-restore': operation('restore'),
  'vm-delete': operation('delete'),
  'vm-snapshot-create': ({ vm = '', group, namespace, ...flags }, { random }) =>
    newSnapshot({ vm, group, namespace }, flags, random),
  'template-create': ({ template = '', ...flags }) => newTemplate({ ...flags, template }),
} as const satisfies Record<string, Manifest>;
