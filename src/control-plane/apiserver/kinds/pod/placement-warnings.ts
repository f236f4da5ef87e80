import { index } from '#platform/base/field-error';
import { deprecatedLabel } from '../deprecated-labels.ts';
import type { NodeTerm, PodAffinity, PodSpec } from './pod-spec.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const MATCHES_NOTHING = 'a null labelSelector results in matching no pod';

/** Returns warnings for the placement of a pod. `field` is that of its spec. */
export function placementWarnings(field: string, { affinity = {}, topologySpreadConstraints = [] }: PodSpec): string[] {
  const { nodeAffinity = {}, podAffinity, podAntiAffinity } = affinity;
  const at = `${field}.affinity.nodeAffinity`;
  return [
    ...(nodeAffinity[REQUIRED]?.nodeSelectorTerms ?? []).flatMap((term, i) =>
      nodeTermWarnings(index(`${at}.${REQUIRED}.nodeSelectorTerms`, i), term),
    ),
    ...(nodeAffinity[PREFERRED] ?? []).flatMap(({ preference = {} }, i) =>
      nodeTermWarnings(`${index(`${at}.${PREFERRED}`, i)}.preference`, preference),
    ),
    ...topologySpreadConstraints.flatMap(({ topologyKey = '', labelSelector }, i) => {
      const here = index(`${field}.topologySpreadConstraints`, i);
      const said = deprecatedLabel(topologyKey);
      return [
        ...(said === undefined ? [] : [`${here}.topologyKey: ${topologyKey} is ${said}`]),
        ...(labelSelector === undefined ? [`${here}.labelSelector: ${MATCHES_NOTHING}`] : []),
      ];
    }),
    ...podAffinityWarnings(`${field}.affinity.podAffinity`, podAffinity),
    ...podAffinityWarnings(`${field}.affinity.podAntiAffinity`, podAntiAffinity),
  ];
}

function nodeTermWarnings(field: string, { matchExpressions = [] }: NodeTerm): string[] {
  return matchExpressions.flatMap(({ key = '' }, i) => {
    const said = deprecatedLabel(key);
    return said === undefined ? [] : [`${index(`${field}.matchExpressions`, i)}.key: ${key} is ${said}`];
  });
}

function podAffinityWarnings(field: string, affinity: PodAffinity = {}): string[] {
  const terms = [
    ...(affinity[REQUIRED] ?? []).map((term, i) => ({ at: index(`${field}.${REQUIRED}`, i), term })),
    ...(affinity[PREFERRED] ?? []).map(({ podAffinityTerm = {} }, i) => ({
      at: `${index(`${field}.${PREFERRED}`, i)}.podAffinityTerm`,
      term: podAffinityTerm,
    })),
  ];
  return terms.flatMap(({ at, term }) =>
    term.labelSelector === undefined ? [`${at}.labelSelector: ${MATCHES_NOTHING}`] : [],
  );
}
