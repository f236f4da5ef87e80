import { VMIS, type Vmi } from '#api/kubevirt/resources';
import { quantityOf, tryParseQuantity, value } from '#platform/base/quantity';
import type { Client } from '#platform/kube/client';
import type { Pod } from '#platform/kube/kinds/pod';
import type { EventType } from '#platform/runtime/events/event-recorder';
import type { Machine, MachineDriver, MigrationRequest } from '../machine-driver.ts';
import { type MachineSpec, machineSpecOf } from '../machine-spec.ts';
import type { ManagedNode } from './managed-node.ts';
import type { MachineAction } from './plan-machine.ts';
import { newest, noteWrite, type TrackedPod } from './tracked-pod.ts';

export interface ActionContext {
  readonly client: Client;
  readonly host: ManagedNode;
  readonly run: TrackedPod;
  readonly pod: Pod;
  readonly instance: Vmi;
  readonly now: number;
  /** Writes a line to the launcher's log. */
  readonly log: (text: string) => void;
  /** Records an event of the instance, and writes a line to the log. */
  readonly record: (type: EventType, reason: string, message: string) => void;
}

/** Performs one action on the machine of a launcher pod. */
export async function performAction(action: MachineAction, context: ActionContext): Promise<void> {
  const { host, run, instance, pod, log } = context;
  const { driver } = host;
  const id = instance.metadata.uid;
  switch (action.do) {
    case 'start':
      await prepare(driver, machineSpecOf(instance, pod), run);
      return;
    case 'adopt':
      await adopt(context);
      return;
    case 'stop':
      context.record('Normal', 'ShuttingDown', 'Signaled Graceful Shutdown');
      run.requestedGraceMs = action.graceMs;
      return await driver.stop(id, action.graceMs);
    case 'kill':
      if (action.cause !== undefined) run.cause = action.cause;
      log(`stopping the machine: ${action.why}`);
      return await driver.kill(run.machineId ?? id, action.why);
    case 'pause':
      log('pausing the machine');
      return await driver.pause(id);
    case 'resume':
      log('resuming the machine');
      return await driver.resume(id);
    case 'reset':
      await removeRequest(context, action.annotation);
      log('resetting the machine');
      return await driver.reset(id);
    case 'soft reboot':
      await removeRequest(context, action.annotation);
      log('asking the guest to reboot');
      return await driver.softReboot(id);
    case 'resize':
      log(`resizing the machine to ${action.sockets} sockets and ${action.memoryBytes} bytes of memory`);
      return await driver.resize(id, { sockets: action.sockets, memoryBytes: action.memoryBytes });
    case 'prepare':
      run.machineId = id;
      ({ address: run.listensAt } = await driver.prepareIncoming(machineSpecOf(instance, pod), action.migrationUid));
      log(`waiting for the incoming migration at ${run.listensAt}`);
      return;
    case 'migrate':
      log(`migrating the machine to ${action.address}`);
      return await driver.migrate(id, { uid: action.migrationUid, address: action.address, ...limitsOf(instance) });
    case 'cancel migration':
      log('canceling the migration');
      return await driver.cancelMigration(id);
  }
}

/**
 * Creates the machine, paused until its instance reports that it runs here, so that no second one can run elsewhere.
 */
async function prepare(driver: MachineDriver, spec: MachineSpec, run: TrackedPod): Promise<void> {
  const machine = await driver.start({ ...spec, startPaused: true });
  run.machineId = spec.id;
  run.held = machine.state === 'paused';
}

async function adopt({ host, run, instance, pod, now, log }: ActionContext): Promise<void> {
  const found =
    host.mayAdopt === true
      ? await host.driver.adopt(machineSpecOf(instance, pod), knownState(instance, now))
      : undefined;
  if (found === undefined) {
    run.cause = 'Lost';
    log('the machine no longer exists');
    return;
  }
  run.machineId = found.spec.id;
  log('the machine is still running');
}

function knownState({ status }: Vmi, now: number): { startedAt: number; paused: boolean } {
  const began = status?.phaseTransitionTimestamps?.find(({ phase }) => phase === 'Running')?.phaseTransitionTimestamp;
  const paused = status?.conditions?.some(({ type, status: holds }) => type === 'Paused' && holds === 'True') === true;
  return { startedAt: began === undefined || began === null ? now : Date.parse(began), paused };
}

interface MigrationConfiguration {
  readonly bandwidthPerMigration?: string;
  readonly allowAutoConverge?: boolean;
  readonly allowPostCopy?: boolean;
}

/** Returns the limits of a migration that its controller has set, in KubeVirt's terms. */
function limitsOf({ status }: Vmi): Pick<MigrationRequest, 'bandwidth' | 'autoConverge' | 'postCopy'> {
  const { migrationConfiguration = {} } = (status?.migrationState ?? {}) as {
    readonly migrationConfiguration?: MigrationConfiguration;
  };
  const { bandwidthPerMigration, allowAutoConverge, allowPostCopy } = migrationConfiguration;
  const bandwidth = value(tryParseQuantity(bandwidthPerMigration ?? 0) ?? quantityOf(0));
  return {
    // No bandwidth means no limit, as in KubeVirt.
    ...(bandwidth > 0 ? { bandwidth } : {}),
    ...(allowAutoConverge === undefined ? {} : { autoConverge: allowAutoConverge }),
    ...(allowPostCopy === undefined ? {} : { postCopy: allowPostCopy }),
  };
}

/** Removes a request from the instance before it is carried out, so that it runs at most once. */
async function removeRequest({ client, run, instance }: ActionContext, annotation: string): Promise<void> {
  const current = newest(instance, run.instance) ?? instance;
  const { [annotation]: _taken, ...annotations } = current.metadata.annotations ?? {};
  const without = { ...current, metadata: { ...current.metadata, annotations } };
  run.instance = await noteWrite(run, client.update(VMIS, without));
}

/** Reports whether a machine belongs to this pod, and not to another pod of the instance. */
export function isOf(machine: Machine | undefined, { metadata }: Pod): machine is Machine {
  return machine !== undefined && machine.spec.pod.uid === metadata.uid;
}
