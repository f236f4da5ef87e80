import type { KubeObject } from '../kube-object.ts';
import type { KubeCondition } from './condition.ts';
import type { ServicePort } from './network.ts';
import { resourceType } from './resource-type.ts';

/** Kinds of the core group with few fields beside their metadata. */

export interface Namespace extends KubeObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: string; readonly conditions?: readonly KubeCondition[] };
}

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
  /** Values in base64. */
  readonly binaryData?: Readonly<Record<string, string>>;
}

export interface Service extends KubeObject {
  readonly spec?: {
    readonly selector?: Readonly<Record<string, string>>;
    readonly type?: string;
    readonly clusterIP?: string;
    readonly ipFamilies?: readonly string[];
    readonly ports?: readonly ServicePort[];
    readonly publishNotReadyAddresses?: boolean;
    readonly trafficDistribution?: string;
    readonly [field: string]: unknown;
  };
}

export const NAMESPACES = resourceType<Namespace>('v1', 'Namespace', 'namespaces', 'Cluster');
export const CONFIG_MAPS = resourceType<ConfigMap>('v1', 'ConfigMap', 'configmaps');
export const SERVICE_ACCOUNTS = resourceType('v1', 'ServiceAccount', 'serviceaccounts');
/** Only nodes read the contents of Secrets. Others check whether they exist. */
export const SECRETS = resourceType('v1', 'Secret', 'secrets');
export const SERVICES = resourceType<Service>('v1', 'Service', 'services');
