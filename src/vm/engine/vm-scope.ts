import type { KubeObject } from '#platform/kube/kube-object';
import type { Context } from '#platform/runtime/controller';
import type { Kind, ObjectOf } from '#platform/schema/kind';
import type { VmEntry } from './vm-entry.ts';

/** VirtualMachine of any API group. */
export type AnyVm = ObjectOf<Kind> & KubeObject;

/** One VM in one reconciliation. */
export interface VmScope {
  readonly vm: AnyVm;
  readonly entry: VmEntry;
  readonly context: Context;
}
