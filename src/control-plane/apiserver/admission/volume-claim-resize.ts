import { compare, tryParseQuantity } from '#platform/base/quantity';
import type { KubeObject } from '#platform/kube/kube-object';
import type { AdmissionPlugin } from '../admission-plugin.ts';
import { type ObjectSource, readObject } from '../object-source.ts';
import { admissionDenial } from './denial.ts';

interface Claim extends KubeObject {
  spec: { storageClassName?: string; resources?: { requests?: Record<string, string> } };
  status?: { phase?: string };
}

const STORAGE_CLASS = 'volume.beta.kubernetes.io/storage-class';

/** Rejects the expansion of claims that are not bound or whose storage class does not allow it. */
export function persistentVolumeClaimResize(source: ObjectSource): AdmissionPlugin {
  return {
    name: 'PersistentVolumeClaimResize',
    validate(write) {
      const { operation, resource, subresource } = write;
      if (operation !== 'UPDATE' || resource.plural !== 'persistentvolumeclaims' || resource.group !== '') return;
      if (subresource !== '' || !grows(write.object as Claim, write.old as Claim)) return;
      if ((write.old as Claim).status?.phase !== 'Bound') {
        throw admissionDenial(write, 'Only bound persistent volume claims can be expanded');
      }
      const [now, before] = [classOf(write.object as Claim), classOf(write.old as Claim)];
      const found = readObject(source, 'storage.k8s.io', 'v1', 'storageclasses', '', now);
      if (now === '' || now !== before || found?.['allowVolumeExpansion'] !== true) {
        throw admissionDenial(
          write,
          'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
        );
      }
    },
  };
}

function grows(claim: Claim, old: Claim): boolean {
  const [size, before] = [claim, old].map(({ spec }) => tryParseQuantity(spec.resources?.requests?.['storage'] ?? '0'));
  return size !== undefined && before !== undefined && compare(size, before) > 0;
}

function classOf({ spec, metadata }: Claim): string {
  return metadata.annotations?.[STORAGE_CLASS] ?? spec.storageClassName ?? '';
}
