import { resourceOfKind } from '#api/kubevirt/resources';
import { type Course, stays, type Turn } from './course.ts';
import { cutting } from './power.ts';
import type { Active } from './sight.ts';

/** The machine is gone in the end. */
export const removal: Course = {
  begin: (sight) => ({ ...removing(sight), checkpoint: { step: 'Deleting' }, progress: 10 }),
  go: (sight) => removing(sight),
  gone: () => ({ to: 'succeed', message: 'the machine is gone' }),
  giveUp: ({ vm }) =>
    stays(
      vm.metadata.deletionTimestamp === undefined
        ? 'the machine has not been deleted'
        : 'the machine had been told to go by then, and still is to',
    ),
};

function removing({ vm, dialect, instance, operation }: Active): Turn & { readonly to: 'go on' } {
  const cut = cutting({ instance }, operation.spec.force);
  const words = { to: 'go on', message: 'the machine is being deleted' } as const;
  if (vm.metadata.deletionTimestamp !== undefined) return { ...words, deeds: cut };
  const { name, uid } = vm.metadata;
  return { ...words, deeds: [...cut, { do: 'remove', type: resourceOfKind(dialect.kind), name, uid }] };
}
