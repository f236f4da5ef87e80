import type { Pod } from '#platform/kube/kinds/pod';
import type { NodeRuntime } from '#platform/kube/node-runtime';
import { badRequest, notFound } from '../api-error.ts';
import { type Backend, storeOf } from '../backend.ts';
import { keyOf } from '../resource.ts';
import { containerState, logProblem } from '../subresources/container-state.ts';
import { logOptions } from './log-options.ts';
import { logText } from './log-text.ts';
import type { SubresourceHandler } from './resource-handler.ts';

/** Handles pods/log: returns the output of a container from the node runtime. */
export function podLog(backend: Backend, runtime: NodeRuntime): SubresourceHandler {
  return async ({ resource, namespace, name, request }) => {
    const options = logOptions(request.query, name, backend.clock.now());
    const entry = storeOf(backend, resource).get(keyOf(resource, namespace, name));
    if (entry === undefined) throw notFound(resource, name);
    const pod = backend.parsed.get(entry) as unknown as Pod;
    const container = selectContainer(pod, options.container);
    // The pod is on no node, so that there is no output and no error.
    if ((pod.spec.nodeName ?? '') === '') return { status: 204, type: 'text/plain', bytes: new Uint8Array(0) };
    const problem = logProblem(name, container, containerState(pod, container), options.previous);
    if (problem !== undefined) throw badRequest(problem);
    const { tailLines, since, follow, previous } = options;
    const log = await runtime.logs({
      pod,
      container,
      previous,
      follow,
      ...(tailLines === undefined ? {} : { tailLines }),
      ...(since === undefined ? {} : { since }),
      signal: request.signal,
    });
    if (log === undefined) throw badRequest(`container "${container}" in pod "${name}" is not available`);
    return { status: 200, type: 'text/plain', pieces: logText(log, options) };
  };
}

/** Returns the requested container, which must be named if there are several. */
export function selectContainer({ spec, metadata }: Pod, named: string): string {
  const { containers, initContainers = [] } = spec;
  const ephemeral = (spec['ephemeralContainers'] ?? []) as readonly { readonly name: string }[];
  const names = [...initContainers, ...containers, ...ephemeral].map(({ name }) => name);
  const [only] = containers;
  if (named === '' && containers.length === 1 && only !== undefined) return only.name;
  if (named === '') {
    const choice = `choose one of: [${names.join(' ')}]`;
    throw badRequest(`a container name must be specified for pod ${metadata.name}, ${choice}`);
  }
  if (!names.includes(named)) throw badRequest(`container ${named} is not valid for pod ${metadata.name}`);
  return named;
}
