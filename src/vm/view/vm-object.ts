import type { KubeObject } from '#platform/kube/kube-object';

/** VirtualMachine of any group, as a reader gets it. Its fields may be of another version, so none is relied on. */
export interface VmObject extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

export function groupOf({ apiVersion }: VmObject): string {
  return apiVersion.split('/')[0] ?? '';
}
