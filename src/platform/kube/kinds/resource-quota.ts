import type { KubeObject } from '../kube-object.ts';
import type { ResourceList } from './pod.ts';
import { resourceType } from './resource-type.ts';

export interface ScopeRequirement {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface ResourceQuotaSpec {
  readonly hard?: ResourceList;
  readonly scopes?: readonly string[];
  readonly scopeSelector?: { readonly matchExpressions?: readonly ScopeRequirement[] };
}

export interface ResourceQuota extends KubeObject {
  readonly spec?: ResourceQuotaSpec;
  readonly status?: { readonly hard?: ResourceList; readonly used?: ResourceList };
}

export const RESOURCE_QUOTAS = resourceType<ResourceQuota>('v1', 'ResourceQuota', 'resourcequotas');
