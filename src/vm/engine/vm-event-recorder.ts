import type { EventObject, EventRecorder } from '#platform/runtime/events/event-recorder';
import { keyOf } from '#platform/runtime/key';
import { hasCondition } from './condition.ts';
import type { Problem, Shutdown } from './dialect.ts';
import { isMarkedForEvacuation } from './instance-state.ts';
import type { Observation } from './observe.ts';

type Status = {
  readonly conditions?: readonly { readonly type: string; readonly reason?: string; readonly message?: string }[];
};

/** Records events of VMs for users, each only once. */
export class VmEventRecorder {
  /** Last recorded event by VM and topic. */
  readonly #recorded = new Map<string, Map<string, string>>();

  /** Records the events of an observation. `status` returns the status to be written, with its conditions. */
  record(vm: EventObject, observation: Observation, events: EventRecorder, status: () => Status): void {
    const { observed, before, desired } = observation;
    const { lastShutdown } = observed.recorded;
    const isNew = lastShutdown !== undefined && before.lastShutdown?.at !== lastShutdown.at;
    if (isNew && lastShutdown.reason !== 'Stopped') this.#shutdown(vm, lastShutdown, events);
    if (observed.transient === true) return;
    if (observed.problem !== undefined) this.problem(vm, observed.problem, events);
    else if (observed.instance !== undefined) this.#recorded.get(keyOf(vm))?.delete('problem');
    this.#restart(vm, observed.restartRequired, events, status);
    if (desired.restarts !== undefined) this.#decision(vm, observation, events);
    this.#immovable(vm, observed.instance, events, status);
  }

  problem(vm: EventObject, { reason, message, asked: requested }: Problem, events: EventRecorder): void {
    if (!this.#isNew(vm, 'problem', `${reason}: ${message}`) || isReported(vm, reason, message)) return;
    events.event(vm, requested === true ? 'Normal' : 'Warning', reason, message);
  }

  forget(vm: string): void {
    this.#recorded.delete(vm);
  }

  #shutdown(vm: EventObject, { reason, message, at }: Shutdown, events: EventRecorder): void {
    if (!this.#isNew(vm, 'shutdown', `${reason} ${at}`)) return;
    const [type, word] = reason === 'Error' ? (['Warning', 'InstanceFailed'] as const) : (['Normal', reason] as const);
    events.event(vm, reason === 'NodeLost' ? 'Warning' : type, word, message);
  }

  /** Records the decision about a VM that ended or must leave its node. */
  #decision(vm: EventObject, { observed, before, desired }: Observation, events: EventRecorder): void {
    const { instance, recorded } = observed;
    const { lastInstance = '', gaveUp, message = '' } = recorded.restarts ?? {};
    const isNew = lastInstance !== '' && before.restarts?.lastInstance !== lastInstance;
    if (isNew && this.#isNew(vm, 'decision', lastInstance)) {
      events.event(vm, gaveUp === 'RestartsExhausted' ? 'Warning' : 'Normal', gaveUp ?? 'Restarting', message);
    }
    if (instance === undefined || !isMarkedForEvacuation(instance)) this.#recorded.get(keyOf(vm))?.delete('leaving');
    else if (this.#isNew(vm, 'leaving', instance.metadata.uid)) {
      const how = desired.evacuatesByRestart === true ? 'restarting on another node' : 'waiting for a migration target';
      const leaving = `Evacuating node ${instance.status?.nodeName}: ${how}`;
      events.event(vm, 'Normal', 'LeavingNode', leaving);
    }
  }

  /** Records that a VM will block the drain of its node, before a drain begins. */
  #immovable(
    vm: EventObject,
    instance: Observation['observed']['instance'],
    events: EventRecorder,
    status: () => Status,
  ): void {
    const holdsUp =
      instance?.spec.evictionStrategy === 'LiveMigrate' && hasCondition(instance.status?.conditions, MOVES, 'False');
    if (!holdsUp || !this.#isNew(vm, 'immovable', instance.metadata.uid)) return;
    const said = status().conditions?.find(({ type }) => type === MOVES);
    if (said?.message === undefined || isReported(vm, said.reason ?? '', said.message)) return;
    events.event(vm, 'Warning', 'NotLiveMigratable', said.message);
  }

  #restart(vm: EventObject, fields: readonly string[], events: EventRecorder, status: () => Status): void {
    const text = fields.join(', ');
    if (text === '' && this.#recorded.get(keyOf(vm))?.has('restart') !== true) return;
    if (!this.#isNew(vm, 'restart', text)) return;
    if (text === '') this.#recorded.get(keyOf(vm))?.delete('restart');
    else {
      // Only the API group of the VM knows its field names.
      const said = status().conditions?.find(({ type }) => type === 'RestartRequired')?.message;
      events.event(vm, 'Normal', 'RestartRequired', said ?? 'spec change requires a restart');
    }
  }

  #isNew(vm: EventObject, topic: string, text: string): boolean {
    const key = keyOf(vm);
    const topics = this.#recorded.get(key) ?? new Map<string, string>();
    if (topics.get(topic) === text) return false;
    topics.set(topic, text);
    this.#recorded.set(key, topics);
    return true;
  }
}

const MOVES = 'LiveMigratable';

/**
 * Reports whether the status already has this reason, so that its writer, maybe another process, recorded the event.
 */
function isReported(vm: EventObject & { readonly status?: Status }, reason: string, message: string): boolean {
  return vm.status?.conditions?.some((each) => each.reason === reason && each.message === message) === true;
}
