import type { Vmi } from '#api/kubevirt/resources';

/** Transition that users are informed of by an event. */
export interface Transition {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

type Condition = { readonly type: string; readonly status: string };

const holds = ({ status }: Vmi, type: string) =>
  (status?.conditions as readonly Condition[] | undefined)?.some(
    (each) => each.type === type && each.status === 'True',
  ) === true;

function formatSize({ currentCPUTopology, memory }: NonNullable<Vmi['status']>): string {
  const { sockets = 1 } = currentCPUTopology ?? {};
  return `${sockets} ${sockets === 1 ? 'socket' : 'sockets'} and ${memory?.guestCurrent ?? 0} of memory`;
}

/** Returns the transitions between two states of an instance. */
export function transitionsOf(before: Vmi, after: Vmi): readonly Transition[] {
  const reported: Transition[] = [];
  const tell = (type: Transition['type'], reason: string, message: string) => reported.push({ type, reason, message });
  const [from, to] = [before.status ?? {}, after.status ?? {}];
  if (from.phase !== to.phase) {
    if (to.phase === 'Running') tell('Normal', 'Started', 'VirtualMachineInstance started.');
    if (to.phase === 'Succeeded') tell('Normal', 'Stopped', `The VirtualMachineInstance was shut down: ${to.reason}.`);
    if (to.phase === 'Failed') tell('Warning', 'Stopped', `The VirtualMachineInstance ${endOf(to.reason)}.`);
  }
  if (!holds(before, 'Paused') && holds(after, 'Paused')) tell('Normal', 'Paused', 'VirtualMachineInstance paused.');
  if (holds(before, 'Paused') && !holds(after, 'Paused') && to.phase === 'Running') {
    tell('Normal', 'Resumed', 'VirtualMachineInstance resumed.');
  }
  if (to.phase === 'Running' && from.memory !== undefined && formatSize(from) !== formatSize(to)) {
    tell('Normal', 'Resized', `The VirtualMachineInstance has ${formatSize(to)} now.`);
  }
  const [was, is] = [from.migrationState, to.migrationState];
  if (is === undefined) return reported;
  if ((was?.startTimestamp ?? '') === '' && (is.startTimestamp ?? '') !== '' && is.completed !== true) {
    tell('Normal', 'Migrating', `VirtualMachineInstance is migrating to node ${is.targetNode}.`);
  }
  if (was?.completed === true || is.completed !== true) return reported;
  if (is.failed === true)
    tell(
      'Warning',
      'Migrated',
      `VirtualMachineInstance migration uid ${is.migrationUid} failed. reason: ${is.failureReason}`,
    );
  else tell('Normal', 'Migrated', `The VirtualMachineInstance migrated to node ${is.targetNode}.`);
  return reported;
}

const endOf = (reason: string | undefined) => (reason === 'Evicted' ? 'was evicted' : `crashed: ${reason}`);
