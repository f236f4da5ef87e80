import type { ApiExtension } from '#platform/kube/api-extension';
import type { NodeRuntime } from '#platform/kube/node-runtime';
import type { AddPlugins } from './admission-plugin.ts';
import type { ServerCore } from './create-backend.ts';
import { podConnection, type ServePodConnection } from './http/pod-connection.ts';
import { podLog } from './http/pod-log.ts';
import type { Advise, SubresourceHandler } from './http/resource-handler.ts';
import type { ClientFor, ServingState } from './request-handler.ts';

/** Additions of a program to the API server of Kubernetes. */
export interface ServeOptions {
  readonly plugins?: AddPlugins;
  /** API groups that are served by code in this process, after authorization. */
  readonly extensions?: readonly ApiExtension[];
  /** Custom group that discovery lists first, so that a plural that several groups have means the one of this group. */
  readonly preferredGroup?: string;
  /** Returns a warning for the sender of a request, if there is one. */
  readonly advise?: Advise;
  /** Runtime of pods. Without it, requests for pod logs are rejected. */
  readonly nodeRuntime?: NodeRuntime;
}

export interface ExtensibleServer {
  readonly core: ServerCore;
  /** Subresources that a node runtime serves, by `group/plural/subresource`. */
  readonly subresources: Map<string, SubresourceHandler>;
  readonly clientFor: ClientFor;
  readonly state: ServingState;
  /** Connects clients to pods. Absent where nothing listens. */
  readonly servePod?: ServePodConnection;
}

/** Adds what a program has to a server, before it serves. */
export function addToServer(
  { core, subresources, clientFor, state, servePod }: ExtensibleServer,
  added: ServeOptions,
): void {
  const { backend, admission } = core;
  const { stores, registry, parsed, authorize } = backend;
  const { plugins, extensions = [], nodeRuntime, preferredGroup, advise } = added;
  if (plugins !== undefined) {
    admission.add(plugins({ source: { store: stores.main, registry, parsed }, authorize, client: clientFor }));
  }
  if (nodeRuntime !== undefined) subresources.set('/pods/log', podLog(backend, nodeRuntime));
  if (nodeRuntime !== undefined && servePod !== undefined) {
    const handler = podConnection(backend, authorize, nodeRuntime, servePod);
    for (const name of ['attach', 'exec', 'portforward']) subresources.set(`/pods/${name}`, handler);
  }
  registry.extend(extensions);
  if (advise !== undefined) state.advise = advise;
  if (preferredGroup !== undefined) registry.prefer(preferredGroup);
}
