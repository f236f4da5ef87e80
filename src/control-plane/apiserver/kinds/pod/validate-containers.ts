import { append } from '#platform/base/append';
import { duplicate, type FieldError, forbidden, index, invalid, required } from '#platform/base/field-error';
import { dns1123LabelProblems } from '#platform/base/names';
import {
  causesFor,
  portNameProblems,
  validateOneOf,
  validateOneOfIfSet,
  validatePortNumber,
  validatePresent,
} from '../field-checks.ts';
import type { Container, PodSpec } from './pod-spec.ts';
import { validateEnv } from './validate-env.ts';
import { validateEphemeral } from './validate-ephemeral.ts';
import { validateLifecycle } from './validate-handler.ts';
import { validateMounts } from './validate-mounts.ts';
import { validateResources } from './validate-resources.ts';
import { validateSecurity } from './validate-security.ts';

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];

/** Validates all containers of a pod, whose names and host ports must not conflict. */
export function validateContainers(field: string, spec: PodSpec): FieldError[] {
  const causes: FieldError[] = [];
  const containers = spec.containers ?? [];
  const names = new Set<string>();
  const hostPorts = new Set<string>();
  if (containers.length === 0) causes.push(required(`${field}.containers`));
  for (const [i, container] of containers.entries()) {
    const at = index(`${field}.containers`, i);
    append(causes, validateContainer(at, container, spec), validateName(at, container, names));
    append(causes, validateLifecycle(at, container, spec.terminationGracePeriodSeconds));
    append(causes, validateRestart(at, container));
  }
  append(causes, validateHostPorts(`${field}.containers`, containers, hostPorts));
  for (const [i, container] of (spec.initContainers ?? []).entries()) {
    const at = index(`${field}.initContainers`, i);
    append(causes, validateContainer(at, container, spec), validateRestart(at, container));
    append(causes, validateName(at, container, names), validateInitOnly(at, container, spec));
    append(causes, validateHostPorts(`${field}.initContainers`, [container], new Set(), i));
  }
  for (const [i, container] of (spec.ephemeralContainers ?? []).entries()) {
    const at = index(`${field}.ephemeralContainers`, i);
    append(causes, validateContainer(at, container, spec), validateName(at, container, names));
    append(causes, validateEphemeral(at, container, spec));
  }
  return causes;
}

function validateName(field: string, { name = '' }: Container, names: Set<string>): FieldError[] {
  if (name === '') return [];
  if (names.has(name)) return [duplicate(`${field}.name`, name)];
  names.add(name);
  return [];
}

/** Validates what applies to containers in every list. */
function validateContainer(field: string, container: Container, spec: PodSpec): FieldError[] {
  const { name = '', image = '', resizePolicy = [] } = container;
  return [
    ...(name === '' ? [required(`${field}.name`)] : causesFor(`${field}.name`, name, dns1123LabelProblems(name))),
    ...validatePresent(`${field}.image`, image),
    ...validateOneOf(`${field}.terminationMessagePolicy`, container.terminationMessagePolicy, MESSAGE_POLICIES),
    ...validatePorts(`${field}.ports`, container),
    ...validateEnv(field, container),
    ...validateMounts(field, container, spec.volumes ?? []),
    ...validateOneOf(`${field}.imagePullPolicy`, container.imagePullPolicy, PULL_POLICIES),
    ...validateResources(`${field}.resources`, container.resources, spec.resourceClaims),
    ...validateResize(`${field}.resizePolicy`, resizePolicy),
    ...validateSecurity(`${field}.securityContext`, container.securityContext, spec),
  ];
}

function validateRestart(field: string, { restartPolicy, restartPolicyRules = [] }: Container): FieldError[] {
  if (restartPolicyRules.length > 0 && restartPolicy === undefined) {
    return [required(`${field}.restartPolicy`, 'must specify restartPolicy when restart rules are used')];
  }
  return validateOneOfIfSet(`${field}.restartPolicy`, restartPolicy, ['Always', 'Never', 'OnFailure']);
}

/** Rejects lifecycle hooks and probes of init containers, unless they are restartable. */
function validateInitOnly(field: string, container: Container, spec: PodSpec): FieldError[] {
  if (container.restartPolicy === 'Always') {
    return validateLifecycle(field, container, spec.terminationGracePeriodSeconds);
  }
  const detail = 'may not be set for init containers without restartPolicy=Always';
  return (['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const)
    .filter((name) => container[name] !== undefined)
    .map((name) => forbidden(`${field}.${name}`, detail));
}

function validatePorts(field: string, { ports = [] }: Container): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, i) => {
    const at = index(field, i);
    const { name = '', containerPort = 0, hostPort = 0, protocol = '' } = port;
    const causes: FieldError[] = [];
    if (name !== '') {
      const problems = portNameProblems(name);
      if (problems.length > 0) append(causes, causesFor(`${at}.name`, name, problems));
      else if (names.has(name)) causes.push(duplicate(`${at}.name`, name));
      names.add(name);
    }
    if (containerPort === 0) causes.push(required(`${at}.containerPort`));
    else append(causes, validatePortNumber(`${at}.containerPort`, containerPort));
    if (hostPort !== 0) append(causes, validatePortNumber(`${at}.hostPort`, hostPort));
    if (protocol === '') causes.push(required(`${at}.protocol`));
    else append(causes, validateOneOf(`${at}.protocol`, protocol, ['SCTP', 'TCP', 'UDP']));
    return causes;
  });
}

/** Rejects two containers of a pod with the same host port. */
function validateHostPorts(
  field: string,
  containers: readonly Container[],
  taken: Set<string>,
  first = 0,
): FieldError[] {
  return containers.flatMap(({ ports = [] }, i) =>
    ports.flatMap(({ hostPort = 0, hostIP = '', protocol = '' }, k) => {
      if (hostPort === 0) return [];
      const place = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(place)) return [duplicate(`${index(field, i + first)}.ports[${k}].hostPort`, place)];
      taken.add(place);
      return [];
    }),
  );
}

/** Requires host ports to equal container ports on the host network. */
export function validateHostNetwork(field: string, spec: PodSpec): FieldError[] {
  if (spec.hostNetwork !== true) return [];
  return (spec.containers ?? []).flatMap(({ ports = [] }, i) =>
    ports.flatMap(({ hostPort = 0, containerPort = 0 }, k) =>
      hostPort === containerPort || hostPort === 0
        ? []
        : [
            invalid(
              `${field}.containers[${i}].ports[${k}].hostPort`,
              hostPort,
              'must match `containerPort` when `hostNetwork` is true',
            ),
          ],
    ),
  );
}

function validateResize(
  field: string,
  policies: readonly { resourceName?: string; restartPolicy?: string }[],
): FieldError[] {
  const seen = new Set<string>();
  return policies.flatMap(({ resourceName = '', restartPolicy = '' }) => {
    const causes: FieldError[] = [];
    if (seen.has(resourceName)) causes.push(duplicate(field, resourceName));
    seen.add(resourceName);
    append(causes, resourceName === '' ? [required(field)] : validateOneOf(field, resourceName, ['cpu', 'memory']));
    const policies = ['NotRequired', 'RestartContainer'];
    append(causes, restartPolicy === '' ? [required(field)] : validateOneOf(field, restartPolicy, policies));
    return causes;
  });
}
