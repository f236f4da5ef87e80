import { resourceTypeFor } from '#api/kubevirt/resources';
import { type OperationHandler, type StepResult, stays } from './operation-handler.ts';
import type { ActiveOperationView } from './operation-view.ts';
import { forceStop } from './power.ts';

/** Deletes the VM. */
export const deletion: OperationHandler = {
  begin: (view) => ({ ...deleteVm(view), checkpoint: { step: 'Deleting' }, progress: 10 }),
  advance: (view) => deleteVm(view),
  onVmDeleted: () => ({ to: 'succeed', message: 'the VM was deleted' }),
  abort: ({ vm }) =>
    stays(
      vm.metadata.deletionTimestamp === undefined
        ? 'the VM has not been deleted'
        : 'deletion of the VM had already started and continues',
    ),
};

function deleteVm({ vm, dialect, instance, operation }: ActiveOperationView): StepResult & { readonly to: 'continue' } {
  const cut = forceStop({ instance }, operation.spec.force);
  const words = { to: 'continue', message: 'the VM is being deleted' } as const;
  if (vm.metadata.deletionTimestamp !== undefined) return { ...words, actions: cut };
  const { name, uid } = vm.metadata;
  return { ...words, actions: [...cut, { do: 'remove', type: resourceTypeFor(dialect.kind), name, uid }] };
}
