import { resourceTypeFor, VMIS, type Vmi } from '#api/kubevirt/resources';
import { decodeUtf8 } from '#platform/base/bytes';
import type { Random } from '#platform/base/random';
import type { ApiExtension, ExtensionAnswer, ExtensionRequest } from '#platform/kube/api-extension';
import type { Client } from '#platform/kube/client';
import { ignoreNotFound, KubeError } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import type { EventRecorder } from '#platform/runtime/events/event-recorder';
import { type Dialect, instanceName, type PowerAction } from '../dialect.ts';
import { connectGuest, type GuestConnections } from './connect-guest.ts';
import { notFound, notImplemented, tryAgain } from './errors.ts';
import { type GuestQuestion, guestInfoProblem, recordedGuestInfo, reportedGuestInfo } from './guest-info.ts';
import { type InstanceAction, instanceEdit } from './instance-action.ts';
import { newMigration } from './migration.ts';
import { type ActionOptions, actionOptions } from './options.ts';
import { powerEdit } from './power-edit.ts';
import { RESOURCES, SERVED, SUBRESOURCES_GROUP, VERSIONS } from './resources.ts';
import { annotate, createMigration, migrationsIn, retryOnConflict, writePower } from './writes.ts';

export interface SubresourceDeps {
  /** Acts as the operator. The user is already authorized, and may lack permissions for the resulting writes. */
  readonly client: Client;
  /** Only VMs of kubevirt.io are served here. */
  readonly dialects: readonly Dialect[];
  readonly random: Random;
  readonly events: EventRecorder;
  /** Connects clients to guests. Without it, such requests are rejected by name. */
  readonly guests?: GuestConnections | undefined;
}

/** Serves subresources.kubevirt.io, the actions of users on VMs beyond their specs, with one extension per version. */
export function subresourceExtensions(parts: SubresourceDeps): readonly ApiExtension[] {
  const handler = new SubresourceHandler(parts);
  const handle = (request: ExtensionRequest) => handler.handle(request);
  return VERSIONS.map((version) => ({ group: SUBRESOURCES_GROUP, version, resources: RESOURCES, handle }));
}

/** Version of KubeVirt whose subresources are served. virtctl warns if it has another one. */
const KUBEVIRT_VERSION = {
  gitVersion: 'v1.7.0-vimana',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '',
  goVersion: '',
  compiler: '',
  platform: 'linux/amd64',
};

const ACCEPTED: ExtensionAnswer = { status: 202 };

/** Object that the action was requested of, or the error, which is no reason to retry. */
type ActionResult = KubeObject | KubeError;

class SubresourceHandler {
  readonly #parts: SubresourceDeps;
  readonly #dialect: Dialect | undefined;

  constructor(parts: SubresourceDeps) {
    this.#parts = parts;
    this.#dialect = parts.dialects.find(({ kind }) => kind.group === 'kubevirt.io');
  }

  async handle(request: ExtensionRequest): Promise<ExtensionAnswer> {
    const { subresource: action } = request;
    if (request.resource === 'version') return { status: 200, body: KUBEVIRT_VERSION };
    if (request.resource === 'guestfs') throw notImplemented('guestfs');
    const ofMachine = request.resource === 'virtualmachines';
    const known = ofMachine ? SERVED.machine : SERVED.instance;
    if (includes(known.connect, action)) return await this.#connect(request);
    if (!includes([...known.update, ...known.get], action)) throw notImplemented(`${request.resource}/${action}`);
    if (action === 'expand-spec') return { status: 200, body: (await this.#fetchVm(request)).vm };
    if (!ofMachine && includes(SERVED.instance.get, action)) return await this.#ask(request, action as GuestQuestion);
    const options = actionOptions(decodeUtf8(await request.body()));
    const done = await retryOnConflict(
      async () => {
        if (!ofMachine) return await this.#annotate(request, action as InstanceAction, options);
        if (action === 'migrate') return await this.#migrate(request, options);
        return await this.#power(request, action as PowerAction, options);
      },
      () => tryAgain(request.resource, action),
    );
    if (done instanceof KubeError) throw done;
    if (!options.dryRun) this.#recordEvent(done, request);
    return ACCEPTED;
  }

  async #fetchVm({ namespace, name }: ExtensionRequest) {
    const { client } = this.#parts;
    const dialect = this.#dialect;
    const type = dialect === undefined ? undefined : resourceTypeFor(dialect.kind);
    const vm = type === undefined ? undefined : await ignoreNotFound(client.get(type, name, { namespace }));
    if (dialect === undefined || type === undefined || vm === undefined)
      throw notFound({ kind: 'virtualmachine', name });
    const instance = await ignoreNotFound(client.get(VMIS, instanceName(dialect, name), { namespace }));
    return { dialect, type, vm, instance };
  }

  async #fetchInstance({ namespace, name }: ExtensionRequest): Promise<Vmi> {
    const instance = await ignoreNotFound(this.#parts.client.get(VMIS, name, { namespace }));
    if (instance === undefined) throw notFound({ kind: 'virtualmachineinstance', name });
    return instance;
  }

  /** Connects to the instance, or to that of a VM. */
  async #connect(request: ExtensionRequest): Promise<ExtensionAnswer> {
    const { name, resource } = request;
    const instance =
      resource === 'virtualmachines' ? (await this.#fetchVm(request)).instance : await this.#fetchInstance(request);
    if (instance === undefined) throw notFound({ kind: 'virtualmachineinstance', name });
    return await connectGuest(request, instance, this.#parts.guests);
  }

  async #power(request: ExtensionRequest, action: PowerAction, options: ActionOptions): Promise<ActionResult> {
    const { dialect, type, vm, instance } = await this.#fetchVm(request);
    const edit = powerEdit(dialect, action, vm, instance, options);
    if ('refused' in edit) return edit.refused;
    const write = { namespace: request.namespace, dryRun: options.dryRun };
    await writePower(this.#parts.client, type, vm, instance, edit, write);
    return vm;
  }

  async #migrate(request: ExtensionRequest, options: ActionOptions): Promise<ActionResult> {
    const { client } = this.#parts;
    const { namespace, name } = request;
    const { vm, instance } = await this.#fetchVm(request);
    if (instance === undefined) throw notFound({ kind: 'virtualmachineinstance', name });
    const migration = newMigration(name, instance, await migrationsIn(client, namespace), options);
    if ('refused' in migration) return migration.refused;
    await createMigration(client, migration, { namespace, dryRun: options.dryRun });
    return vm;
  }

  async #annotate(request: ExtensionRequest, action: InstanceAction, options: ActionOptions): Promise<ActionResult> {
    const { client, random } = this.#parts;
    const instance = await this.#fetchInstance(request);
    const edit = instanceEdit(action, instance, random.uuid());
    if ('refused' in edit) return edit.refused;
    if ('frozen' in edit) return await this.#freeze(instance, edit.frozen, options);
    await annotate(client, instance, edit.annotations, { namespace: request.namespace, dryRun: options.dryRun });
    return instance;
  }

  /** Freezes or thaws a guest at once, since its node agent need not be asked by annotation. */
  async #freeze(instance: Vmi, frozen: boolean, { dryRun }: ActionOptions): Promise<ActionResult> {
    const { guests } = this.#parts;
    if (guests === undefined) return notImplemented(`virtualmachineinstances/${frozen ? 'freeze' : 'unfreeze'}`);
    if (!dryRun) await guests.access.setFrozen(instance, frozen);
    return instance;
  }

  async #ask(request: ExtensionRequest, question: GuestQuestion): Promise<ExtensionAnswer> {
    const { guests } = this.#parts;
    const instance = await this.#fetchInstance(request);
    const problem = guestInfoProblem(instance);
    if (problem !== undefined) throw problem;
    const report = await guests?.access.report(instance).catch(unlessNotSupported);
    const info = report === undefined ? recordedGuestInfo(question, instance) : reportedGuestInfo(question, report);
    if (info instanceof KubeError) throw info;
    return { status: 200, body: info };
  }

  /** Records the user as an event, since the write itself shows only the operator. */
  #recordEvent(about: KubeObject, { subresource, user }: ExtensionRequest): void {
    const reason = `${subresource.charAt(0).toUpperCase()}${subresource.slice(1)}Requested`;
    this.#parts.events.event(about, 'Normal', reason, `${user.name} requested ${subresource}`);
  }
}

/** Lets the status of an instance say what its runtime cannot. */
function unlessNotSupported(error: unknown): undefined {
  if (!(error instanceof KubeError) || error.code !== 501) throw error;
}

function includes(names: readonly string[], name: string): boolean {
  return names.includes(name);
}
