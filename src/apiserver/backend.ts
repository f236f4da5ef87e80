import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { timestamp as timestampOf } from '../base/timestamp.ts';
import type { KubeObject } from '../kube/kube-object.ts';
import type { AdmissionPlugin, Write } from './admission-plugin.ts';
import type { FieldManagement } from './field-management.ts';
import type { ParsedObjects } from './parsed-objects.ts';
import type { Registry } from './registry.ts';
import type { Resource } from './resource.ts';
import type { Store } from './store/store.ts';

/** What the verbs work with. */
export interface Backend {
  readonly stores: { readonly main: Store; readonly events: Store };
  readonly registry: Registry;
  readonly parsed: ParsedObjects;
  readonly admission: readonly AdmissionPlugin[];
  readonly fields: FieldManagement;
  readonly clock: Clock;
  readonly random: Random;
}

export function storeOf(backend: Backend, resource: Resource): Store {
  return backend.stores[resource.storage.store];
}

/** The time as Kubernetes writes it in objects: whole seconds. */
export function timestamp(clock: Clock): string {
  return timestampOf(clock.now());
}

/** Lets every plugin change the object in turn. Nobody waits where no plugin does. */
export function mutate(
  backend: Backend,
  write: Write,
  first = 0,
): KubeObject | undefined | Promise<KubeObject | undefined> {
  const { admission } = backend;
  let now = write;
  for (let at = first; at < admission.length; at++) {
    const changed = admission[at]?.mutate?.(now);
    if (changed instanceof Promise) return changed.then((object) => mutate(backend, withObject(now, object), at + 1));
    now = withObject(now, changed);
  }
  return now.object;
}

const withObject = (write: Write, object: KubeObject | undefined): Write =>
  object === undefined || object === write.object ? write : { ...write, object };

/** Asks every plugin whether the write may happen. Nobody waits where no plugin does. */
export function admit(backend: Backend, write: Write, first = 0): void | Promise<void> {
  const { admission } = backend;
  for (let at = first; at < admission.length; at++) {
    const verdict = admission[at]?.validate?.(write);
    if (verdict instanceof Promise) return verdict.then(() => admit(backend, write, at + 1));
  }
}

/** Tells every plugin what became of a write. */
export function settle(backend: Backend, write: Write, stored: boolean): void {
  for (const plugin of backend.admission) plugin.settle?.(write, stored);
}
