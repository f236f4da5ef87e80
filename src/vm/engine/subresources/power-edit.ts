import type { VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import type { KubeError } from '#platform/kube/kube-error';
import type { Kind, ObjectOf } from '#platform/schema/kind';
import type { Dialect, PowerAction, PowerEdit } from '../dialect.ts';
import { isFinal } from '../instance-state.ts';
import { badRequest, conflict } from './errors.ts';
import type { ActionOptions } from './options.ts';

type Edit = Exclude<PowerEdit, { readonly conflict: string }>;

/** Returns the write for a start, stop or restart that a user requests, or the reason why it is denied. */
export function powerEdit<K extends Kind>(
  dialect: Dialect<K>,
  action: PowerAction,
  vm: ObjectOf<K>,
  instance: VirtualMachineInstance | undefined,
  options: ActionOptions,
): Edit | { readonly refused: KubeError } {
  const { paused, gracePeriodSeconds: grace } = options;
  if (action === 'restart' && grace !== undefined && grace > 0)
    return { refused: badRequest('For force restart, only gracePeriod=0 is supported for now') };
  if (action !== 'stop' && vm.metadata.deletionTimestamp !== undefined) {
    return { refused: conflict({ kind: 'virtualmachine', name: vm.metadata.name }, 'VM is being deleted') };
  }
  const edit = dialect.power(vm, action, instance, {
    ...(paused === undefined ? {} : { paused }),
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
  });
  if (edit.conflict !== undefined) {
    return { refused: conflict({ kind: 'virtualmachine', name: vm.metadata.name }, edit.conflict) };
  }
  const forced = action === 'restart' && grace === 0 && instance !== undefined && !isFinal(instance);
  return forced ? { ...edit, gracePeriodSeconds: 0 } : edit;
}
