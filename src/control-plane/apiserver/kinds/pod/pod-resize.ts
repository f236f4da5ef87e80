import { append } from '#platform/base/append';
import { type FieldError, forbidden, index, invalid } from '#platform/base/field-error';
import { qosClass } from '#platform/kube/resources/qos-class';
import { same } from '../field-checks.ts';
import type { KindStrategy } from '../kind-strategy.ts';
import type { Container, Pod, PodSpec, Resources } from './pod-spec.ts';
import { validatePodSpec } from './validate-pod-spec.ts';

const LISTS = ['containers', 'initContainers'] as const;
const COMPUTE = ['cpu', 'memory'] as const;
const MIRROR = 'kubernetes.io/config.mirror';

/** Takes from a write to the subresource `resize` only what it may change: the resources of the containers. */
export function takeResources(pod: Pod, sent: Pod): void {
  const spec: PodSpec = { ...pod.spec };
  for (const list of LISTS) {
    const [before, now] = [pod.spec[list] ?? [], sent.spec[list] ?? []];
    const matching = before.length === now.length && before.every(({ name }, i) => name === now[i]?.name);
    // Containers that differ from the old ones stay as sent and are rejected later.
    const taken = matching ? before.map((container, i) => withResources(container, now[i] ?? {})) : now;
    if (taken.length > 0 || spec[list] !== undefined) spec[list] = taken;
  }
  if (sent.spec.resources === undefined) delete spec.resources;
  else spec.resources = sent.spec.resources;
  pod.spec = spec;
}

function withResources(container: Container, { resources, resizePolicy }: Container): Container {
  const resized = { ...container };
  delete resized.resources;
  delete resized.resizePolicy;
  if (resources !== undefined) resized.resources = resources;
  if (resizePolicy !== undefined) resized.resizePolicy = resizePolicy;
  return resized;
}

/** Reports whether the node can resize pods, in which case it reports the resources of running containers. */
function supportsResize({ status }: Pod): boolean {
  const { containerStatuses = [] } = (status ?? {}) as { containerStatuses?: { state?: object; resources?: object }[] };
  const running = containerStatuses.find(({ state }) => state !== undefined && 'running' in state);
  return running === undefined || running.resources !== undefined;
}

/** Validates a resize: only amounts of cpu and memory may change, and not the QoS class. */
export const podResize: Required<Pick<KindStrategy<Pod>, 'validate'>> = {
  validate(pod, old) {
    const causes = validatePodSpec('spec', pod.spec);
    if (old === undefined) return causes;
    const unable = whyNever(old);
    if (unable !== undefined) return [forbidden('[]', `${unable} pods cannot be resized`)];
    if (!supportsResize(old)) causes.push(forbidden('spec', 'Pod running on node without support for resize'));
    const known = causes.length;
    const before = qosClass(old.spec);
    if (qosClass(pod.spec) !== before) {
      causes.push(invalid('spec', before, 'Pod QOS Class may not change as a result of resizing'));
    }
    const others = LISTS.flatMap((list) => validateSame(list, pod.spec[list] ?? [], old.spec[list] ?? []));
    if (others.length > 0) return [...causes, ...others];
    for (const list of LISTS) {
      for (const [i, { resources = {} }] of (pod.spec[list] ?? []).entries()) {
        append(
          causes,
          validateKept(`${index(`spec.${list}`, i)}.resources`, resources, old.spec[list]?.[i]?.resources),
        );
      }
    }
    if (causes.length === known && !same(withoutCompute(pod.spec), withoutCompute(old.spec))) {
      causes.push(forbidden('spec', 'only cpu and memory resources are mutable'));
    }
    return causes;
  },
};

function whyNever({ metadata, spec }: Pod): string | undefined {
  if (metadata.annotations?.[MIRROR] !== undefined) return 'static';
  return spec.os?.name === 'windows' ? 'windows' : undefined;
}

function validateSame(list: string, now: readonly Container[], before: readonly Container[]): FieldError[] {
  if (now.length !== before.length) {
    return [forbidden(`spec.${list}`, `${list} may not be added or removed on resize`)];
  }
  return now.flatMap(({ name }, i) =>
    name === before[i]?.name
      ? []
      : [forbidden(`${index(`spec.${list}`, i)}.name`, `${list} may not be renamed or reordered on resize`)],
  );
}

function validateKept(field: string, now: Resources, before: Resources = {}): FieldError[] {
  return (['requests', 'limits'] as const).flatMap((which) => {
    const removed = COMPUTE.some((name) => before[which]?.[name] !== undefined && now[which]?.[name] === undefined);
    return removed ? [forbidden(`${field}.${which}`, `resource ${which} cannot be removed`)] : [];
  });
}

function withoutCompute(spec: PodSpec): PodSpec {
  const rest = { ...spec, resources: othersOf(spec.resources ?? {}) };
  for (const list of LISTS) {
    const containers = rest[list];
    if (containers) rest[list] = containers.map((each) => ({ ...each, resources: othersOf(each.resources ?? {}) }));
  }
  return rest;
}

function othersOf(resources: Resources): Resources {
  const others = { ...resources };
  for (const which of ['requests', 'limits'] as const) {
    const { cpu: _cpu, memory: _memory, ...rest } = others[which] ?? {};
    if (Object.keys(rest).length > 0) others[which] = rest;
    else delete others[which];
  }
  return others;
}
