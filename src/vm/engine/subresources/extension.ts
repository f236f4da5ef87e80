import { resourceTypeFor, VMIS, type Vmi } from '#api/kubevirt/resources';
import type { Random } from '#platform/base/random';
import type { ApiExtension, ExtensionAnswer, ExtensionRequest } from '#platform/kube/api-extension';
import type { Client } from '#platform/kube/client';
import { ignoreNotFound, KubeError } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import type { EventRecorder } from '#platform/runtime/events/event-recorder';
import { type Dialect, instanceName, type PowerAction } from '../dialect.ts';
import { notFound, notImplemented, tryAgain } from './errors.ts';
import { type GuestQuestion, guestInfo } from './guest-info.ts';
import { type InstanceAction, instanceEdit } from './instance-action.ts';
import { newMigration } from './migration.ts';
import { type ActionOptions, actionOptions } from './options.ts';
import { powerEdit } from './power-edit.ts';
import { GROUP, RESOURCES, SERVED, VERSIONS } from './resources.ts';
import { annotate, createMigration, migrationsIn, retryOnConflict, writePower } from './writes.ts';

export interface SubresourceDeps {
  /** Acts as the operator. The user is already authorized, and may lack permissions for the resulting writes. */
  readonly client: Client;
  /** Only VMs of kubevirt.io are served here. */
  readonly dialects: readonly Dialect[];
  readonly random: Random;
  readonly events: EventRecorder;
}

/** Serves subresources.kubevirt.io, the actions of users on VMs beyond their specs, with one extension per version. */
export function subresourceExtensions(parts: SubresourceDeps): readonly ApiExtension[] {
  const handle = handler(parts);
  return VERSIONS.map((version) => ({ group: GROUP, version, resources: RESOURCES, handle }));
}

const ACCEPTED: ExtensionAnswer = { status: 202 };

/** Object that the action was requested of, or the error, which is no reason to retry. */
type ActionResult = KubeObject | KubeError;

function handler(parts: SubresourceDeps) {
  const { client, random } = parts;
  const dialect = parts.dialects.find(({ kind }) => kind.group === 'kubevirt.io');

  return async (request: ExtensionRequest): Promise<ExtensionAnswer> => {
    const { subresource: action } = request;
    const ofMachine = request.resource === 'virtualmachines';
    const known = ofMachine ? SERVED.machine : SERVED.instance;
    if (!includes([...known.update, ...known.get], action)) throw notImplemented(`${request.resource}/${action}`);
    if (action === 'expand-spec') return { status: 200, body: (await machine(request)).vm };
    if (!ofMachine && includes(SERVED.instance.get, action)) return await ask(request, action as GuestQuestion);
    const options = actionOptions(Buffer.from(await request.body()).toString('utf8'));
    const done = await retryOnConflict(
      async () => {
        if (!ofMachine) return await touch(request, action as InstanceAction, options);
        if (action === 'migrate') return await migrate(request, options);
        return await power(request, action as PowerAction, options);
      },
      () => tryAgain(request.resource, action),
    );
    if (done instanceof KubeError) throw done;
    if (!options.dryRun) tell(done, request);
    return ACCEPTED;
  };

  async function machine({ namespace, name }: ExtensionRequest) {
    const type = dialect === undefined ? undefined : resourceTypeFor(dialect.kind);
    const vm = type === undefined ? undefined : await ignoreNotFound(client.get(type, name, { namespace }));
    if (dialect === undefined || type === undefined || vm === undefined)
      throw notFound({ kind: 'virtualmachine', name });
    const instance = await ignoreNotFound(client.get(VMIS, instanceName(dialect, name), { namespace }));
    return { dialect, type, vm, instance };
  }

  async function power(request: ExtensionRequest, action: PowerAction, options: ActionOptions): Promise<ActionResult> {
    const { dialect: words, type, vm, instance } = await machine(request);
    const edit = powerEdit(words, action, vm, instance, options);
    if ('refused' in edit) return edit.refused;
    await writePower(client, type, vm, instance, edit, { namespace: request.namespace, dryRun: options.dryRun });
    return vm;
  }

  async function migrate(request: ExtensionRequest, options: ActionOptions): Promise<ActionResult> {
    const { namespace, name } = request;
    const { vm, instance } = await machine(request);
    if (instance === undefined) throw notFound({ kind: 'virtualmachineinstance', name });
    const migration = newMigration(name, instance, await migrationsIn(client, namespace), options);
    if ('refused' in migration) return migration.refused;
    await createMigration(client, migration, { namespace, dryRun: options.dryRun });
    return vm;
  }

  async function found({ namespace, name }: ExtensionRequest): Promise<Vmi> {
    const instance = await ignoreNotFound(client.get(VMIS, name, { namespace }));
    if (instance === undefined) throw notFound({ kind: 'virtualmachineinstance', name });
    return instance;
  }

  async function touch(
    request: ExtensionRequest,
    action: InstanceAction,
    options: ActionOptions,
  ): Promise<ActionResult> {
    const instance = await found(request);
    const edit = instanceEdit(action, instance, random.uuid());
    if ('refused' in edit) return edit.refused;
    await annotate(client, instance, edit.annotations, { namespace: request.namespace, dryRun: options.dryRun });
    return instance;
  }

  async function ask(request: ExtensionRequest, question: GuestQuestion): Promise<ExtensionAnswer> {
    const info = guestInfo(question, await found(request));
    if (info instanceof KubeError) throw info;
    return { status: 200, body: info };
  }

  /** Records the user as an event, since the write itself shows only the operator. */
  function tell(about: KubeObject, { subresource, user }: ExtensionRequest): void {
    const reason = `${subresource.charAt(0).toUpperCase()}${subresource.slice(1)}Requested`;
    parts.events.event(about, 'Normal', reason, `${user.name} asked for ${subresource}`);
  }
}

function includes(names: readonly string[], name: string): boolean {
  return names.includes(name);
}
