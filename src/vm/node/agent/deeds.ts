import { VMIS, type Vmi } from '#api/kubevirt/resources';
import { quantityOf, tryParseQuantity, value } from '#platform/base/quantity';
import type { Client } from '#platform/kube/client';
import type { Pod } from '#platform/kube/kinds/pod';
import type { EventType } from '#platform/runtime/events/event-recorder';
import type { Machine, MachineDriver, MigrationRequest } from '../machine-driver.ts';
import { type MachineSpec, machineSpecOf } from '../machine-spec.ts';
import type { Host } from './host.ts';
import type { Deed } from './plan.ts';
import { newest, noteWrite, type Run } from './run.ts';

export interface DeedContext {
  readonly client: Client;
  readonly host: Host;
  readonly run: Run;
  readonly pod: Pod;
  readonly instance: Vmi;
  readonly now: number;
  /** A line of the launcher's log. */
  readonly say: (text: string) => void;
  /** An Event of the instance, and a line of the log. */
  readonly tell: (type: EventType, reason: string, message: string) => void;
}

/** Does one thing to the machine of a launcher pod. */
export async function perform(deed: Deed, context: DeedContext): Promise<void> {
  const { host, run, instance, pod, say } = context;
  const { driver } = host;
  const id = instance.metadata.uid;
  switch (deed.do) {
    case 'start':
      await prepare(driver, machineSpecOf(instance, pod), run);
      return;
    case 'adopt':
      await adopt(context);
      return;
    case 'stop':
      context.tell('Normal', 'ShuttingDown', 'Signaled Graceful Shutdown');
      run.askedGraceMs = deed.graceMs;
      return await driver.stop(id, deed.graceMs);
    case 'kill':
      if (deed.cause !== undefined) run.cause = deed.cause;
      say(`ending the machine: ${deed.why}`);
      return await driver.kill(run.machineId ?? id, deed.why);
    case 'pause':
      say('pausing the machine');
      return await driver.pause(id);
    case 'resume':
      say('letting the machine go on');
      return await driver.resume(id);
    case 'reset':
      await takeOff(context, deed.annotation);
      say('resetting the machine');
      return await driver.reset(id);
    case 'soft reboot':
      await takeOff(context, deed.annotation);
      say('asking the guest to reboot');
      return await driver.softReboot(id);
    case 'resize':
      say(`changing the machine to ${deed.sockets} sockets and ${deed.memoryBytes} bytes of memory`);
      return await driver.resize(id, { sockets: deed.sockets, memoryBytes: deed.memoryBytes });
    case 'prepare':
      run.machineId = id;
      ({ address: run.listensAt } = await driver.prepareIncoming(machineSpecOf(instance, pod), deed.migrationUid));
      say(`waiting for the machine at ${run.listensAt}`);
      return;
    case 'migrate':
      say(`sending the machine to ${deed.address}`);
      return await driver.migrate(id, { uid: deed.migrationUid, address: deed.address, ...limitsOf(instance) });
    case 'cancel migration':
      say('giving up the migration');
      return await driver.cancelMigration(id);
  }
}

/** Makes the machine, which stands still until its instance says that it runs here: so no second one can run elsewhere. */
async function prepare(driver: MachineDriver, spec: MachineSpec, run: Run): Promise<void> {
  const machine = await driver.start({ ...spec, startPaused: true });
  run.machineId = spec.id;
  run.held = machine.state === 'paused';
}

async function adopt({ host, run, instance, pod, now, say }: DeedContext): Promise<void> {
  const found =
    host.mayAdopt === true ? await host.driver.adopt(machineSpecOf(instance, pod), known(instance, now)) : undefined;
  if (found === undefined) {
    run.cause = 'Lost';
    say('the machine is gone');
    return;
  }
  run.machineId = found.spec.id;
  say('the machine is still running');
}

function known({ status }: Vmi, now: number): { startedAt: number; paused: boolean } {
  const began = status?.phaseTransitionTimestamps?.find(({ phase }) => phase === 'Running')?.phaseTransitionTimestamp;
  const paused = status?.conditions?.some(({ type, status: holds }) => type === 'Paused' && holds === 'True') === true;
  return { startedAt: began === undefined || began === null ? now : Date.parse(began), paused };
}

interface MigrationConfiguration {
  readonly bandwidthPerMigration?: string;
  readonly allowAutoConverge?: boolean;
  readonly allowPostCopy?: boolean;
}

/** What a migration may use, where its controller says so in KubeVirt's words. */
function limitsOf({ status }: Vmi): Pick<MigrationRequest, 'bandwidth' | 'autoConverge' | 'postCopy'> {
  const { migrationConfiguration = {} } = (status?.migrationState ?? {}) as {
    readonly migrationConfiguration?: MigrationConfiguration;
  };
  const { bandwidthPerMigration, allowAutoConverge, allowPostCopy } = migrationConfiguration;
  const bandwidth = value(tryParseQuantity(bandwidthPerMigration ?? 0) ?? quantityOf(0));
  return {
    // None, in KubeVirt too, means as much as there is.
    ...(bandwidth > 0 ? { bandwidth } : {}),
    ...(allowAutoConverge === undefined ? {} : { autoConverge: allowAutoConverge }),
    ...(allowPostCopy === undefined ? {} : { postCopy: allowPostCopy }),
  };
}

/** Takes a request off the instance before it is carried out, so that it is at most once. */
async function takeOff({ client, run, instance }: DeedContext, annotation: string): Promise<void> {
  const current = newest(instance, run.instance) ?? instance;
  const { [annotation]: _taken, ...annotations } = current.metadata.annotations ?? {};
  const without = { ...current, metadata: { ...current.metadata, annotations } };
  run.instance = await noteWrite(run, client.update(VMIS, without));
}

/** Whether a machine is the one of this pod, and not one that another pod of the instance holds the place of. */
export function isOf(machine: Machine | undefined, { metadata }: Pod): machine is Machine {
  return machine !== undefined && machine.spec.pod.uid === metadata.uid;
}
