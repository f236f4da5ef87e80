import { resourceTypeFor, VMIS } from '#api/kubevirt/resources';
import type { ResourceType } from '#platform/kube/client';
import { ignoreNotFound, isAlreadyExists, isConflict, isNotFound } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Context } from '#platform/runtime/controller';
import { retryOnConflict, writePower } from '#vm/engine/subresources/writes';
import { isCreatedBy } from './creator.ts';
import type { Operation } from './operation.ts';
import type { WriteAction } from './operation-handler.ts';
import type { ActiveOperationView } from './operation-view.ts';

/** Field manager of the changes that operations make to VMs. */
export const OPERATION_FIELD_MANAGER = 'vimana-operation';

/** Reports that the name of an object to create is taken. */
export class AlreadyExistsError extends Error {}

/** Receives what was written, by its type, so that caches can catch up with it. */
type Wrote = (type: ResourceType, object: KubeObject) => void;

export async function executeAction(
  action: WriteAction,
  view: ActiveOperationView,
  { client }: Pick<Context, 'client'>,
  wrote: Wrote,
): Promise<void> {
  const { vm, dialect, instance, ref, operation } = view;
  const { namespace } = ref;
  const type = resourceTypeFor(dialect.kind);
  const writing = { namespace, fieldManager: OPERATION_FIELD_MANAGER };
  switch (action.do) {
    case 'power': {
      const options = action.force && action.action === 'stop' ? { gracePeriodSeconds: 0 } : {};
      const edit = dialect.power(vm, action.action, instance, options);
      // The conflict is temporary, or was reported before.
      if (edit.conflict !== undefined) return;
      const forced = action.force && action.action === 'restart' ? { ...edit, gracePeriodSeconds: 0 } : edit;
      const place = { ...writing, dryRun: false };
      wrote(type, await writePower(client, type, vm, instance, forced, place));
      return;
    }
    case 'force stop': {
      if (instance === undefined) return;
      const body = { metadata: { uid: instance.metadata.uid }, spec: { terminationGracePeriodSeconds: 0 } };
      const patch = { type: 'merge', body } as const;
      await retryOnConflict(() => ignoreNotFound(client.patch(VMIS, instance.metadata.name, patch, writing)));
      return;
    }
    case 'patch VM': {
      const { name, uid, resourceVersion } = vm.metadata;
      const { metadata = {}, ...rest } = action.body as { readonly metadata?: object };
      const body = { ...rest, metadata: { ...metadata, uid, resourceVersion } };
      wrote(type, await client.patch(type, name, { type: 'merge', body }, writing));
      return;
    }
    case 'create':
      wrote(action.type, await createOnce(action, operation, client));
      return;
    case 'remove':
      await client
        .delete(action.type, action.name, {
          namespace: action.namespace ?? namespace,
          preconditions: { uid: action.uid },
        })
        .catch((error: unknown) => {
          // The object is gone, or another has its name.
          if (!isNotFound(error) && !isConflict(error)) throw error;
        });
  }
}

/** Creates an object, unless the operation has created it before. */
async function createOnce(
  { type, object }: Extract<WriteAction, { readonly do: 'create' }>,
  operation: Operation,
  client: Context['client'],
): Promise<KubeObject> {
  const { name = '', namespace = '' } = object.metadata;
  try {
    return await client.create(type, object, { namespace, fieldManager: OPERATION_FIELD_MANAGER });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const found = await client.get(type, name, { namespace });
    if (isCreatedBy(found, operation)) return found;
    throw new AlreadyExistsError(`${type.kind} ${namespace}/${name} already exists`, { cause: error });
  }
}
