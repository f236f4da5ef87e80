import type { Pod } from '#platform/kube/kinds/pod';
import { KubeError } from '#platform/kube/kube-error';
import type { NodeRuntime } from '#platform/kube/node-runtime';
import type { Authorize } from '../access/attributes.ts';
import { accessDenied } from '../access-denied.ts';
import { ApiError, badRequest, noSuchResource, notFound } from '../api-error.ts';
import { type Backend, storeOf } from '../backend.ts';
import { keyOf } from '../resource.ts';
import { admitConnection, kindOf } from '../subresources/subresource-action.ts';
import type { ApiRequest } from './api-request.ts';
import { connectOptions } from './connect-options.ts';
import { selectContainer } from './pod-log.ts';
import { attributesOf } from './request-attributes.ts';
import type { SubresourceHandler } from './resource-handler.ts';

export type PodConnectionName = 'attach' | 'exec' | 'portforward';

/** Pod that a client wants to connect to, and how. */
export interface PodConnectionRequest {
  readonly request: ApiRequest;
  readonly subresource: PodConnectionName;
  readonly pod: Pod;
  readonly container: string;
  readonly runtime: NodeRuntime;
}

/** Connects a client to a pod by WebSocket. Resolves once the handshake is complete. */
export type ServePodConnection = (requested: PodConnectionRequest) => Promise<void>;

/** Method of a node runtime that each connection needs. */
const METHODS = { attach: 'attach', exec: 'exec', portforward: 'connect' } as const;

/** Handles pods/attach, exec and portforward in the order of kube-apiserver: permission, admission, pod, node. */
export function podConnection(
  backend: Backend,
  authorize: Authorize,
  runtime: NodeRuntime,
  serve: ServePodConnection,
): SubresourceHandler {
  return async (requested, call) => {
    const { resource, namespace, name, request, path } = requested;
    const subresource = requested.subresource as PodConnectionName;
    const kind = resource.subresources.get(subresource);
    if (kind === undefined) throw noSuchResource();
    const options = connectOptions(kindOf(kind), request.query, path.rest);
    await admitConnection(backend, requested, kindOf(kind), options, call);
    // A WebSocket begins with a GET, which must not suffice to run a command.
    const attributes = { ...attributesOf(request, path), verb: 'create' };
    const { allowed, reason } = authorize(attributes);
    if (!allowed) throw accessDenied(attributes, reason);
    const entry = storeOf(backend, resource).get(keyOf(resource, namespace, name));
    if (entry === undefined) throw notFound(resource, name);
    const pod = backend.parsed.get(entry) as unknown as Pod;
    const container = selectContainer(pod, subresource === 'portforward' ? firstContainer(pod) : containerOf(request));
    if ((pod.spec.nodeName ?? '') === '') throw badRequest(`pod ${name} does not have a host assigned`);
    if (runtime[METHODS[subresource]] === undefined) {
      throw new ApiError(
        501,
        'NotImplemented',
        `the subresource pods/${subresource} is not served by this control plane`,
      );
    }
    if (request.upgrade === undefined) throw badRequest('Upgrade request required');
    try {
      await serve({ request, subresource, pod, container, runtime });
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      throw new ApiError(error.code, error.reason, error.message, error.details, error);
    }
    return { status: 101, type: '', upgraded: true };
  };
}

const containerOf = ({ query }: ApiRequest) => query.get('container') ?? '';
const firstContainer = ({ spec }: Pod) => spec.containers[0]?.name ?? '';
