import type { Vmi } from '#api/kubevirt/resources';
import { virtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import type { Pod } from '#platform/kube/kinds/pod';
import type { KubeObject } from '#platform/kube/kube-object';
import { evictedInstance, evictionResult } from '#vm/admission/launcher-eviction';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission-plugin.ts';
import { ApiError } from '../api-error.ts';
import { isPods } from './pod-write.ts';
import { type ObjectSource, readObject } from './stored-objects.ts';

/** Marks an instance as having to leave its node. */
export type Evacuate = (namespace: string, instance: string, node: string) => Promise<void>;

/** Turns the eviction of a running machine that can be migrated into a migration. */
export function launcherEviction(source: ObjectSource, evacuate: Evacuate): AdmissionPlugin {
  const { group, versions, plural } = virtualMachineInstance;
  return {
    name: 'LauncherEviction',
    validate(write) {
      if (write.subresource !== 'eviction' || !isPods(write)) return undefined;
      const { namespace, name } = write;
      const pod = readObject(source, '', 'v1', 'pods', namespace, name) as Pod | undefined;
      const instance = pod === undefined ? undefined : evictedInstance(pod);
      if (pod === undefined || instance === undefined) return undefined;
      const found = readObject(source, group, versions[0], plural, namespace, instance);
      const verdict = evictionResult(pod, found as unknown as Vmi | undefined);
      return verdict.allowed ? undefined : refuse(write, instance, verdict, evacuate);
    },
  };
}

async function refuse(
  write: AdmissionAttributes,
  instance: string,
  { message, evacuate: node }: { readonly message: string; readonly evacuate?: string },
  evacuate: Evacuate,
): Promise<never> {
  if (node === undefined || isDry(write)) throw tooManyRequests(message);
  try {
    await evacuate(write.namespace, instance, node);
  } catch (error) {
    throw tooManyRequests(`kubevirt failed marking the vmi for eviction: ${(error as Error).message}`, error);
  }
  throw tooManyRequests(message);
}

/** An eviction can be run dry by its own options too. */
function isDry({ call, object }: AdmissionAttributes): boolean {
  const { dryRun = [] } = ((object as KubeObject)['deleteOptions'] ?? {}) as { readonly dryRun?: readonly string[] };
  return call.dryRun || dryRun.length > 0;
}

/** Says nothing of when to try again, or clients would before anybody has heard of it. */
function tooManyRequests(message: string, cause?: unknown): ApiError {
  return new ApiError(429, 'TooManyRequests', message, undefined, cause);
}
