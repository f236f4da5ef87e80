import type { KubeObject } from '../kube-object.ts';
import type { ObjectReference } from './event.ts';
import { resourceType } from './resource-type.ts';

/** Kinds that list the addresses of the pods of a Service. */

export interface ServicePort {
  readonly name?: string;
  readonly protocol?: string;
  readonly appProtocol?: string;
  readonly port: number;
  readonly targetPort?: number | string;
}

export interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions?: { readonly ready?: boolean; readonly serving?: boolean; readonly terminating?: boolean };
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly zone?: string;
  readonly targetRef?: ObjectReference;
  readonly hints?: {
    readonly forZones?: readonly { readonly name: string }[];
    readonly forNodes?: readonly { readonly name: string }[];
  };
}

export interface EndpointPort {
  readonly name?: string;
  readonly protocol?: string;
  readonly port?: number;
  readonly appProtocol?: string;
}

export interface EndpointSlice extends KubeObject {
  readonly addressType: string;
  readonly endpoints: readonly Endpoint[] | null;
  readonly ports?: readonly EndpointPort[] | null;
}

export interface EndpointAddress {
  readonly ip: string;
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly targetRef?: ObjectReference;
}

export interface EndpointSubset {
  readonly addresses?: readonly EndpointAddress[];
  readonly notReadyAddresses?: readonly EndpointAddress[];
  readonly ports?: readonly EndpointPort[];
}

export interface Endpoints extends KubeObject {
  readonly subsets?: readonly EndpointSubset[];
}

export const ENDPOINT_SLICES = resourceType<EndpointSlice>('discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices');
export const ENDPOINTS = resourceType<Endpoints>('v1', 'Endpoints', 'endpoints');
