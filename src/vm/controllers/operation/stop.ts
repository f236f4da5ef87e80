import { START_NOW } from '#api/operation-request';
import { readRecord } from '#platform/base/json-record';
import type { Checkpoint } from './operation.ts';
import { fail, type StepResult, type WriteAction } from './operation-handler.ts';
import { type ActiveOperationView, powerState } from './operation-view.ts';
import { powerDenial, requestStop } from './power.ts';

/**
 * These functions stop a VM for a while and let it continue as before: its power fields are recorded and restored,
 * whatever they were.
 */

/** Stops a running VM and records its power fields. Returns undefined if it does not run. */
export function beginStop(
  view: ActiveOperationView,
): (StepResult & { readonly to: 'continue' }) | StepResult | undefined {
  const { live, willStart } = powerState(view);
  if (live === undefined && !willStart) return undefined;
  const refusal = powerDenial(view, 'stop');
  if (refusal !== undefined) return fail('WrongPowerState', `the VM cannot be stopped: ${refusal}`);
  const turn = requestStop(view, live?.metadata.uid);
  if (turn.to !== 'continue') return turn;
  const edit = view.dialect.power(view.vm, 'stop', view.instance);
  const fields = Object.keys(edit.conflict === undefined ? (edit.spec ?? {}) : {});
  const spec = view.vm.spec as Readonly<Record<string, unknown>>;
  const before = Object.fromEntries(fields.map((field) => [field, spec[field] ?? null]));
  return {
    ...turn,
    checkpoint: {
      step: 'Stopping',
      before: JSON.stringify(before),
      ...(live === undefined ? {} : { instanceUID: live.metadata.uid }),
      // A VM that has passed its start gate once does not wait again.
      ...(live !== undefined && view.dialect.startGate?.(view.vm) !== undefined ? { startNow: true } : {}),
    },
    progress: 5,
    message: 'the VM is stopping',
  };
}

/** Continues the stop. Returns undefined once the VM is stopped. */
export function continueStop(view: ActiveOperationView): StepResult | undefined {
  const { isOff, willStart } = powerState(view);
  // An instance that ended by itself may be retained for inspection, and blocks nothing.
  if (isOff && !willStart) return undefined;
  return requestStop(view, view.instance?.metadata.uid);
}

/** Returns the generation that the VM has with these fields. */
function generationWith(
  { metadata, spec }: ActiveOperationView['vm'],
  fields: Readonly<Record<string, unknown>>,
): string {
  const has = spec as Readonly<Record<string, unknown>>;
  const changes = Object.entries(fields).some(([name, value]) => (has[name] ?? null) !== value);
  return `${(metadata.generation ?? 0) + (changes ? 1 : 0)}`;
}

/** Fields that control the power state of VMs, in all API groups. */
const POWER_FIELDS: readonly string[] = ['running', 'runStrategy'];

/** Returns the recorded power fields. Any other field in the record is not ours to write. */
export function powerFieldsIn(before: string): Readonly<Record<string, unknown>> {
  const recorded = readRecord(before);
  return Object.fromEntries(
    POWER_FIELDS.flatMap((field) => (Object.hasOwn(recorded, field) ? [[field, recorded[field]]] : [])),
  );
}

/** Restores the power state of the VM, with annotations for its start, in a single write if it takes one. */
export function restorePower(
  { vm, dialect, instance }: ActiveOperationView,
  { before = '{}', startNow }: Checkpoint,
  given: Readonly<Record<string, string | null>> = {},
): readonly WriteAction[] {
  const spec = powerFieldsIn(before);
  const byRequest = Object.keys(spec).length === 0;
  const annotations = { ...given, ...(startNow === true ? { [START_NOW]: generationWith(vm, spec) } : {}) };
  const changes = Object.entries(annotations).some(
    ([name, value]) => (vm.metadata.annotations?.[name] ?? null) !== value,
  );
  const body = {
    ...(changes ? { metadata: { annotations } } : {}),
    ...(byRequest ? {} : { spec }),
  };
  const change: readonly WriteAction[] = Object.keys(body).length === 0 ? [] : [{ do: 'patch VM', body }];
  if (!byRequest || dialect.power(vm, 'start', instance).conflict !== undefined) return change;
  return [...change, { do: 'power', action: 'start', force: false }];
}
