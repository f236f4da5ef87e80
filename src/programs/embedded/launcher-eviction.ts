import { VMIS, type Vmi } from '#api/kubevirt/resources';
import { virtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import type { User } from '#control-plane/apiserver/access/user';
import { isPods } from '#control-plane/apiserver/admission/pod-write';
import type { AdmissionAttributes, AdmissionPlugin, PluginHost } from '#control-plane/apiserver/admission-plugin';
import { ApiError } from '#control-plane/apiserver/api-error';
import { readObject } from '#control-plane/apiserver/object-source';
import type { Pod } from '#platform/kube/kinds/pod';
import type { KubeObject } from '#platform/kube/kube-object';
import { evictedInstance, evictionResult } from '#vm/admission/launcher-eviction';

/** Marks an instance for evacuation from its node. */
type Evacuate = (namespace: string, instance: string, node: string) => Promise<void>;

/** Turns the eviction of a launcher whose instance can be migrated into a migration, which `user` requests. */
export function launcherEviction({ source, client }: PluginHost, user: User): AdmissionPlugin {
  const evacuate: Evacuate = async (namespace, instance, evacuationNodeName) => {
    const body = { status: { evacuationNodeName } };
    await client(user).patch(VMIS, instance, { type: 'merge', body }, { namespace, subresource: 'status' });
  };
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

/** Reports whether an eviction is a dry run, which its own options can request too. */
function isDry({ call, object }: AdmissionAttributes): boolean {
  const { dryRun = [] } = ((object as KubeObject)['deleteOptions'] ?? {}) as { readonly dryRun?: readonly string[] };
  return call.dryRun || dryRun.length > 0;
}

/** Omits retryAfterSeconds, since clients would otherwise retry before anyone learns of the rejection. */
function tooManyRequests(message: string, cause?: unknown): ApiError {
  return new ApiError(429, 'TooManyRequests', message, undefined, cause);
}
