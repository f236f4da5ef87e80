import { append } from '#platform/base/append';
import { type FieldError, forbidden, index, invalid } from '#platform/base/field-error';
import { dns1123SubdomainProblems, qualifiedNameProblems } from '#platform/base/names';
import { byName } from '../by-name.ts';
import { causesFor, validateIpAddress, validateUnchanged } from '../field-checks.ts';
import { parseLoosely } from '../ip-text.ts';
import type { KindStrategy } from '../kind-strategy.ts';
import type { Container, Pod } from './pod-spec.ts';

interface Address {
  readonly ip?: string;
}

interface ContainerStatus {
  readonly name?: string;
  readonly state?: { readonly terminated?: { readonly exitCode?: number } };
}

interface Status {
  phase?: string;
  podIP?: string;
  podIPs?: readonly Address[];
  hostIP?: string;
  hostIPs?: readonly Address[];
  nominatedNodeName?: string;
  observedGeneration?: number;
  conditions?: readonly { readonly type?: string; readonly observedGeneration?: number }[];
  containerStatuses?: readonly ContainerStatus[];
  initContainerStatuses?: readonly ContainerStatus[];
  resourceClaimStatuses?: readonly { readonly name?: string }[];
}

/** Prepares a write of a pod's status: it retains the owner references, and the QoS class if none is given. */
export function preparePodStatus(pod: Pod, old: Pod): void {
  const status = (pod.status ??= {}) as Status & Record<string, unknown>;
  status['qosClass'] ??= old.status?.qosClass;
  if (status['qosClass'] === undefined) delete status['qosClass'];
  const { ownerReferences } = old.metadata;
  if (ownerReferences === undefined) delete pod.metadata.ownerReferences;
  else pod.metadata.ownerReferences = ownerReferences;
}

/** Aligns podIP with the first of podIPs. A writer of either sets both. */
export function pairAddresses({ status }: { status?: unknown }): void {
  const addresses = (status ?? {}) as { podIP?: string; podIPs?: readonly Address[] };
  const { podIP = '', podIPs = [] } = addresses;
  const [first] = podIPs;
  if (podIP === '' && (first?.ip ?? '') !== '') addresses.podIP = first?.ip ?? '';
  if (podIP !== '' && first?.ip !== podIP) addresses.podIPs = [{ ip: podIP }];
}

/** Validates the status of a pod. */
export const podStatus: Required<Pick<KindStrategy<Pod>, 'validate'>> = {
  validate(pod, old) {
    const { spec } = pod;
    const status = (pod.status ?? {}) as Status;
    const before = (old?.status ?? {}) as Status;
    const causes =
      old === undefined ? [] : validateUnchanged('status.qosClass', pod.status?.qosClass, old.status?.qosClass);
    append(
      causes,
      validateConditions(status),
      validateGeneration('status.observedGeneration', status.observedGeneration),
    );
    append(causes, validateNomination(status, before, spec.nodeName ?? ''));
    for (const [list, containers] of [
      ['containerStatuses', spec.containers ?? []],
      ['initContainerStatuses', spec.initContainers ?? []],
    ] as const) {
      const policyOf = (name: string | undefined) => restartPolicyOf(pod, containers, name);
      append(causes, validateTransitions(`status.${list}`, status[list] ?? [], before[list] ?? [], policyOf));
    }
    append(causes, validateClaims(status, spec.resourceClaims ?? []));
    append(causes, validateAddresses('status.podIPs', status.podIPs ?? []));
    const [host] = status.hostIPs ?? [];
    if (host !== undefined && (host.ip ?? '') !== (status.hostIP ?? '')) {
      causes.push(invalid('status.hostIPs[0].ip', host.ip ?? '', 'must be equal to `hostIP`'));
    }
    append(causes, validateAddresses('status.hostIPs', status.hostIPs ?? []));
    return causes;
  },
};

function validateConditions({ conditions = [] }: Status): FieldError[] {
  return conditions.flatMap(({ type = '', observedGeneration }, i) => {
    const at = index('status.conditions', i);
    return [
      ...validateGeneration(`${at}.observedGeneration`, observedGeneration),
      ...causesFor(`${at}.Type`, type, qualifiedNameProblems(type)),
    ];
  });
}

function validateGeneration(field: string, value = 0): FieldError[] {
  return value < 0 ? [invalid(field, value, 'must be a non-negative integer')] : [];
}

function validateNomination({ nominatedNodeName = '' }: Status, before: Status, nodeName: string): FieldError[] {
  const field = 'status.nominatedNodeName';
  if (nominatedNodeName === '') return [];
  const causes = causesFor(field, nominatedNodeName, dns1123SubdomainProblems(nominatedNodeName));
  const detail = 'may not be set on pods that are already bound to a node';
  if (nodeName !== '' && nominatedNodeName !== before.nominatedNodeName) causes.push(forbidden(field, detail));
  return causes;
}

function restartPolicyOf({ spec }: Pod, containers: readonly Container[], name: string | undefined): string {
  return byName(containers).get(name ?? '')?.restartPolicy ?? spec.restartPolicy ?? 'Always';
}

/** Rejects restarts of containers that have terminated for good. */
function validateTransitions(
  field: string,
  now: readonly ContainerStatus[],
  before: readonly ContainerStatus[],
  policyOf: (name: string | undefined) => string,
): FieldError[] {
  const places = new Map(now.map((each, i) => [each.name, i] as const).toReversed());
  return before.flatMap(({ name, state }) => {
    const ended = state?.terminated;
    const policy = policyOf(name);
    if (ended === undefined || policy === 'Always') return [];
    if (policy === 'OnFailure' && (ended.exitCode ?? 0) !== 0) return [];
    const i = places.get(name);
    if (i === undefined || now[i]?.state?.terminated !== undefined) return [];
    return [forbidden(`${index(field, i)}.state`, 'may not be transitioned to non-terminated state')];
  });
}

function validateClaims({ resourceClaimStatuses = [] }: Status, claims: readonly { name?: string }[]): FieldError[] {
  const detail = 'must match the name of an entry in `spec.resourceClaims`';
  return resourceClaimStatuses.flatMap(({ name = '' }, i) =>
    byName(claims).has(name) ? [] : [invalid(`${index('status.resourceClaimStatuses', i)}.name`, name, detail)],
  );
}

function validateAddresses(field: string, addresses: readonly Address[]): FieldError[] {
  const causes = addresses.flatMap(({ ip = '' }, i) => validateIpAddress(index(field, i), ip));
  if (causes.length > 0 || addresses.length < 2) return causes;
  const families = new Set(addresses.map(({ ip = '' }) => parseLoosely(ip)?.family));
  if (families.size === addresses.length) return [];
  const shown = addresses.map(({ ip = '' }) => ({ IP: ip }));
  return [invalid(field, shown, 'may specify no more than one IP for each IP family')];
}
