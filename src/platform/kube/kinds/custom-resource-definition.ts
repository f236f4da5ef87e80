import type { KubeObject } from '../kube-object.ts';
import type { KubeCondition } from './condition.ts';
import { resourceType } from './resource-type.ts';

interface Names {
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface CustomResourceDefinition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly names: Names;
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
  readonly status?: {
    readonly conditions?: readonly KubeCondition[];
    readonly acceptedNames?: Omit<Names, 'plural'>;
  };
}

export const CUSTOM_RESOURCE_DEFINITIONS = resourceType<CustomResourceDefinition>(
  'apiextensions.k8s.io/v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
  'Cluster',
);
