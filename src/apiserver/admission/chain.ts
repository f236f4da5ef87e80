import type { FindAdmission } from '../../admission/admitters.ts';
import type { Random } from '../../base/random.ts';
import type { Access } from '../access/rbac-escalation.ts';
import type { AdmissionPlugin } from '../admission-plugin.ts';
import { certificateApproval, certificateSigning, certificateSubjectRestriction } from './certificates.ts';
import { defaultIngressClass, defaultStorageClass } from './default-class.ts';
import { defaultTolerationSeconds } from './default-toleration-seconds.ts';
import { limitRanger } from './limit-ranger.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { priorityAdmission } from './priority.ts';
import { roleEscalation } from './role-escalation.ts';
import { runtimeClassAdmission } from './runtime-class.ts';
import { serviceAccountAdmission } from './service-account.ts';
import { storageObjectInUseProtection } from './storage-protection.ts';
import { type ObjectSource, StoredObjects } from './stored-objects.ts';
import { taintNodesByCondition } from './taint-nodes-by-condition.ts';
import { vimanaAdmission } from './vimana.ts';
import { persistentVolumeClaimResize } from './volume-claim-resize.ts';

export interface ChainParts {
  readonly source: ObjectSource;
  readonly random: Random;
  readonly access: Access;
  /** What our own kinds ask beyond their schemas. */
  readonly findAdmission: FindAdmission;
  /** Ends the indexes that plugins keep. */
  readonly signal: AbortSignal;
}

/** Every plugin, in the order in which Kubernetes runs those that it has on by default. */
export function admissionChain(parts: ChainParts): readonly AdmissionPlugin[] {
  const { source, random, access, signal } = parts;
  const all = (group: string, plural: string) => new StoredObjects(source, group, 'v1', plural, signal);
  const { authorize } = access;
  return [
    namespaceLifecycle(source),
    limitRanger(all('', 'limitranges')),
    serviceAccountAdmission(source, random),
    taintNodesByCondition,
    priorityAdmission(all('scheduling.k8s.io', 'priorityclasses')),
    defaultTolerationSeconds,
    defaultStorageClass(all('storage.k8s.io', 'storageclasses')),
    storageObjectInUseProtection,
    persistentVolumeClaimResize(source),
    runtimeClassAdmission(source),
    certificateApproval(authorize),
    certificateSigning(authorize),
    certificateSubjectRestriction,
    defaultIngressClass(all('networking.k8s.io', 'ingressclasses')),
    vimanaAdmission(source, parts.findAdmission),
    roleEscalation(access),
  ];
}
