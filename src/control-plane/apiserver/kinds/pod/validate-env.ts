import { append } from '#platform/base/append';
import { type FieldError, index, invalid, required } from '#platform/base/field-error';
import { dns1123SubdomainProblems, qualifiedNameProblems } from '#platform/base/names';
import { compare, parseQuantity, tryParseQuantity } from '#platform/base/quantity';
import { causesFor, configKeyProblems, validateOneOf, validatePresent } from '../field-checks.ts';
import type { Container, EnvFrom, EnvVar, FieldRef, KeyRef, ResourceFieldRef } from './pod-spec.ts';

const ENV_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
const POD_FIELDS = new Set([
  ...ENV_FIELDS,
  'metadata.annotations',
  'metadata.labels',
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
  'spec.host',
]);
const RESOURCES = ['cpu', 'ephemeral-storage', 'memory'];
const RESOURCE_FIELDS = ['limits', 'requests'].flatMap((kind) => RESOURCES.map((name) => `${kind}.${name}`));
const CPU_DIVISORS = ['1m', '1'];
const SIZE_DIVISORS = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

/** Validates the environment variables of a container. */
export function validateEnv(field: string, { env = [], envFrom = [] }: Container): FieldError[] {
  return [
    ...env.flatMap((variable, i) => validateVariable(index(`${field}.env`, i), variable)),
    ...envFrom.flatMap((source, i) => validateEnvFrom(`${field}.envFrom`, i, source)),
  ];
}

function envNameProblems(name: string): string[] {
  return /^[ -<>-~]+$/.test(name)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

function validateVariable(field: string, { name = '', value = '', valueFrom }: EnvVar): FieldError[] {
  const at = `${field}.valueFrom`;
  const causes = name === '' ? [required(`${field}.name`)] : causesFor(`${field}.name`, name, envNameProblems(name));
  if (valueFrom === undefined) return causes;
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
  if (fieldRef !== undefined) append(causes, validateFieldRef(`${at}.fieldRef`, fieldRef, ENV_FIELDS));
  if (resourceFieldRef !== undefined) {
    append(causes, validateResourceFieldRef(`${at}.resourceFieldRef`, resourceFieldRef, false));
  }
  if (configMapKeyRef !== undefined) append(causes, validateKeyRef(`${at}.configMapKeyRef`, configMapKeyRef));
  if (secretKeyRef !== undefined) append(causes, validateKeyRef(`${at}.secretKeyRef`, secretKeyRef));
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter(
    (source) => source !== undefined,
  ).length;
  if (sources === 0) {
    const detail =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    causes.push(invalid(at, '', detail));
  } else if (value !== '') causes.push(invalid(at, '', 'may not be specified when `value` is not empty'));
  else if (sources > 1) causes.push(invalid(at, '', 'may not have more than one field specified at a time'));
  return causes;
}

function validateKeyRef(field: string, { name = '', key = '' }: KeyRef): FieldError[] {
  return [
    ...causesFor(`${field}.name`, name, dns1123SubdomainProblems(name)),
    ...(key === '' ? [required(`${field}.key`)] : causesFor(`${field}.key`, key, configKeyProblems(key))),
  ];
}

/** Validates a reference to a field of the pod. A label or an annotation may be named in brackets. */
export function validateFieldRef(field: string, reference: FieldRef, allowed: readonly string[]): FieldError[] {
  const { apiVersion = '', fieldPath = '' } = reference;
  if (apiVersion === '') return [required(`${field}.apiVersion`)];
  if (fieldPath === '') return [required(`${field}.fieldPath`)];
  const [, path = '', subscript] = /^([^[]*)(?:\['(.*)'\])?$/s.exec(fieldPath) ?? [];
  const refuse = (why: string) => [invalid(`${field}.fieldPath`, fieldPath, `error converting fieldPath: ${why}`)];
  if (apiVersion !== 'v1') return refuse(`unsupported pod version: ${apiVersion}`);
  if (subscript !== undefined) {
    if (path === 'metadata.labels') return causesFor(field, subscript, qualifiedNameProblems(subscript));
    if (path === 'metadata.annotations')
      return causesFor(field, subscript, qualifiedNameProblems(subscript.toLowerCase()));
    return refuse(`field label does not support subscript: ${fieldPath}`);
  }
  if (!POD_FIELDS.has(fieldPath)) return refuse(`field label not supported: ${fieldPath}`);
  return validateOneOf(`${field}.fieldPath`, fieldPath, allowed);
}

/** Validates a reference to a container's resources. Inside a volume the container must be named. */
export function validateResourceFieldRef(field: string, reference: ResourceFieldRef, inVolume: boolean): FieldError[] {
  const { resource = '', containerName = '', divisor = '0' } = reference;
  if (inVolume && containerName === '') return [required(`${field}.containerName`)];
  if (resource === '') return [required(`${field}.resource`)];
  if (!/^(limits|requests)\.hugepages-/.test(resource)) {
    const causes = validateOneOf(`${field}.resource`, resource, RESOURCE_FIELDS);
    if (causes.length > 0) return causes;
  }
  const name = resource.slice(resource.indexOf('.') + 1);
  const good = name === 'cpu' ? CPU_DIVISORS : SIZE_DIVISORS;
  const given = tryParseQuantity(divisor) ?? parseQuantity('0');
  if (given.nano === 0n || good.some((each) => compare(parseQuantity(each), given) === 0)) return [];
  const list = name === 'cpu' ? '1m and 1' : SIZE_DIVISORS.join(', ');
  return [
    invalid(`${field}.divisor`, resource, `only divisor's values ${list} are supported with the ${name} resource`),
  ];
}

function validateEnvFrom(field: string, i: number, { prefix = '', configMapRef, secretRef }: EnvFrom): FieldError[] {
  const at = index(field, i);
  const causes = prefix === '' ? [] : causesFor(`${at}.prefix`, prefix, envNameProblems(prefix));
  for (const [kind, reference] of Object.entries({ configMapRef, secretRef })) {
    if (reference === undefined) continue;
    const { name = '' } = reference;
    append(causes, validatePresent(`${at}.${kind}.name`, name));
    if (name !== '') append(causes, causesFor(`${at}.${kind}.name`, name, dns1123SubdomainProblems(name)));
  }
  if (configMapRef === undefined && secretRef === undefined) {
    causes.push(invalid(field, '', 'must specify one of: `configMapRef` or `secretRef`'));
  } else if (configMapRef !== undefined && secretRef !== undefined) {
    causes.push(invalid(field, '', 'may not have more than one field specified at a time'));
  }
  return causes;
}
