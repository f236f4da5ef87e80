import type { Clock } from '#platform/base/clock';
import type { Random } from '#platform/base/random';
import { timestamp as timestampOf } from '#platform/base/timestamp';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Authorize } from './access/attributes.ts';
import type { User } from './access/user.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission-plugin.ts';
import type { FieldManagement } from './field-management.ts';
import type { CommitShare } from './flow-control/commit-share.ts';
import { flowOf } from './flow-control/flow.ts';
import type { Thread } from './flow-control/thread-share.ts';
import { WORK } from './flow-control/work.ts';
import type { Encoder, LongWork, YamlSource } from './long-work.ts';
import type { ParsedObjects } from './parsed-objects.ts';
import type { Registry } from './registry.ts';
import type { Resource } from './resource.ts';
import { STAGE_BARRIER } from './stage-barrier.ts';
import type { Store } from './store/store.ts';

/** Dependencies of the verbs. */
export interface Backend {
  readonly stores: { readonly main: Store; readonly events: Store };
  readonly registry: Registry;
  readonly parsed: ParsedObjects;
  readonly admission: readonly AdmissionPlugin[];
  /** Authorizes again if a request turns out to do more than its verb says. */
  readonly authorize: Authorize;
  readonly fields: FieldManagement;
  readonly clock: Clock;
  readonly random: Random;
  /** Queues long work. */
  readonly thread: Thread;
  /** Queues large objects before they are stored. */
  readonly commits: CommitShare;
  readonly yaml: YamlSource;
  readonly encoder: Encoder;
}

export function storeOf(backend: Backend, resource: Resource): Store {
  return backend.stores[resource.storage.store];
}

/** Returns how to read a user's long bodies. */
export function longWorkOf({ thread, yaml, encoder }: Backend, user: User): LongWork {
  const flow = flowOf(user);
  return {
    pause: () => thread.spend(flow, WORK.chunk) ?? STAGE_BARRIER,
    readYaml: (text) => yaml.read(text, flow),
    decodeProtobuf: (body, expected) => encoder.decode(body, expected, flow),
  };
}

/** Formats the current time as in Kubernetes objects, in whole seconds. */
export function timestamp(clock: Clock): string {
  return timestampOf(clock.now());
}

/** Lets every plugin mutate the object in turn. */
export async function mutate(backend: Backend, write: AdmissionAttributes): Promise<KubeObject | undefined> {
  let { object } = write;
  for (const plugin of backend.admission) {
    if (plugin.mutate === undefined) continue;
    const changed = plugin.mutate(object === write.object ? write : { ...write, object });
    object = (changed instanceof Promise ? await changed : changed) ?? object;
  }
  return object;
}

/** Lets every plugin validate the write. */
export async function admit(backend: Backend, write: AdmissionAttributes): Promise<void> {
  for (const plugin of backend.admission) {
    const verdict = plugin.validate?.(write);
    if (verdict instanceof Promise) await verdict;
  }
}

/** Notifies every plugin of the outcome of a write. */
export function settle(backend: Backend, write: AdmissionAttributes, stored: boolean): void {
  for (const plugin of backend.admission) plugin.settle?.(write, stored);
}
