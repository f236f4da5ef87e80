import type { KubeMeta } from '#platform/kube/kube-object';
import type { JsonSchema } from '#platform/schema/json-schema';
import type { PrinterColumn } from '../table/custom-table.ts';

/** A CustomResourceDefinition with the fields that the server uses. */
export interface Crd {
  apiVersion: string;
  kind: string;
  metadata: KubeMeta;
  spec: {
    group: string;
    scope: 'Namespaced' | 'Cluster';
    names: CrdNames;
    versions: CrdVersion[];
    conversion?: {
      strategy: 'None' | 'Webhook';
      webhook?: { conversionReviewVersions: string[]; clientConfig?: ConversionClient };
    };
    preserveUnknownFields?: boolean;
  };
  status?: CrdStatus;
  [field: string]: unknown;
}

export interface ConversionClient {
  url?: string;
  caBundle?: string;
  service?: { namespace: string; name: string; path?: string; port?: number };
}

export interface CrdNames {
  plural: string;
  singular?: string;
  kind: string;
  listKind?: string;
  shortNames?: string[];
  categories?: string[];
}

export interface CrdVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: JsonSchema };
  subresources?: {
    status?: Record<string, never>;
    scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };
  };
  additionalPrinterColumns?: PrinterColumn[];
  selectableFields?: { jsonPath: string }[];
}

export interface CrdStatus {
  conditions?: CrdCondition[];
  acceptedNames?: CrdNames;
  storedVersions?: string[];
}

export interface CrdCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  lastTransitionTime: string;
  observedGeneration?: number;
}

/** Retains a CRD until its last instance is deleted. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

export function isTrue({ status }: Crd, type: string): boolean {
  return status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
}

export function storageVersion({ spec }: Crd): string {
  return spec.versions.find(({ storage }) => storage)?.name ?? spec.versions[0]?.name ?? '';
}
