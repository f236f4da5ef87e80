import { append } from '#platform/base/append';
import { type FieldError, forbidden, index, invalid, required, tooLong } from '#platform/base/field-error';
import { tryParseIp } from '#platform/base/ip';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '#platform/base/names';
import {
  causesFor,
  portNameProblems,
  validateOneOf,
  validateOneOfIfSet,
  validatePortNumber,
  validatePresent,
  validateUnchanged,
} from '../field-checks.ts';
import type { KindStrategy } from '../kind-strategy.ts';
import { pathSegmentProblems } from '../object-name.ts';
import { validateDomainPath } from '../workloads/job.ts';

interface Backend {
  service?: { name?: string; port?: { name?: string; number?: number } };
  resource?: { apiGroup?: string | null; kind?: string; name?: string };
}

interface Path {
  path?: string;
  pathType?: string | null;
  backend?: Backend;
}

interface Ingress {
  spec?: {
    ingressClassName?: string;
    defaultBackend?: Backend;
    tls?: { hosts?: string[]; secretName?: string }[];
    rules?: { host?: string; http?: { paths?: Path[] | null } }[];
  };
}

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const BAD_SIGNS = ['//', '/./', '/../', '%2f', '%2F'];
const BAD_ENDS = ['/..', '/.'];
const WILDCARD = /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const BAD_WILDCARD = String.raw`a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`;

export const ingresses: KindStrategy<Ingress> = {
  firstStatus: () => ({ loadBalancer: {} }),
  validate(object, old) {
    const { spec = {} } = object;
    const annotated = object.metadata.annotations?.[CLASS_ANNOTATION];
    const causes: FieldError[] = [];
    if ((spec.rules ?? []).length === 0 && spec.defaultBackend === undefined) {
      causes.push(invalid('spec', null, 'either `defaultBackend` or `rules` must be specified'));
    }
    if (spec.defaultBackend !== undefined) append(causes, validateBackend('spec.defaultBackend', spec.defaultBackend));
    append(causes, validateRules(spec), validateTls(spec));
    const name = spec.ingressClassName;
    if (name !== undefined) append(causes, causesFor('spec.ingressClassName', name, dns1123SubdomainProblems(name)));
    if (old === undefined && annotated !== undefined && name !== undefined && annotated !== name) {
      const detail = 'must match `ingressClassName` when both are specified';
      return [invalid(`annotations.${CLASS_ANNOTATION}`, annotated, detail), ...causes];
    }
    return causes;
  },
  warnings: ({ metadata }) =>
    metadata.annotations?.[CLASS_ANNOTATION] === undefined
      ? []
      : [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`],
};

function validateBackend(field: string, { service, resource }: Backend): FieldError[] {
  if (service !== undefined && resource !== undefined) {
    return [invalid(field, '', 'cannot set both resource and service backends')];
  }
  if (resource !== undefined) {
    return [
      ...validatePresent(`${field}.resource.kind`, resource.kind),
      ...validatePresent(`${field}.resource.name`, resource.name),
    ];
  }
  if (service === undefined) return [invalid(field, '', 'resource or service backend is required')];
  const { name = '', port = {} } = service;
  const at = `${field}.service`;
  const causes = name === '' ? [required(`${at}.name`)] : causesFor(`${at}.name`, name, dns1123LabelProblems(name));
  const [portName, number] = [port.name ?? '', port.number ?? 0];
  if (portName !== '' && number !== 0) causes.push(invalid(field, '', 'cannot set both port name & port number'));
  else if (portName !== '') append(causes, causesFor(`${at}.port.name`, portName, portNameProblems(portName)));
  else if (number !== 0) append(causes, validatePortNumber(`${at}.port.number`, number));
  else causes.push(required(field, 'port name or number is required'));
  return causes;
}

function validateHost(field: string, host: string): FieldError[] {
  const isAddress = tryParseIp(host) !== undefined;
  const causes = isAddress ? [invalid(field, host, 'must be a DNS name, not an IP address')] : [];
  if (!host.includes('*')) return [...causes, ...causesFor(field, host, dns1123SubdomainProblems(host))];
  return WILDCARD.test(host) ? [] : [invalid(field, host, BAD_WILDCARD)];
}

function validateRules({ rules = [] }: NonNullable<Ingress['spec']>): FieldError[] {
  return rules.flatMap(({ host = '', http }, i) => {
    const at = index('spec.rules', i);
    const causes = host === '' ? [] : validateHost(`${at}.host`, host);
    if (http === undefined) return causes;
    const paths = http.paths ?? [];
    if (paths.length === 0) causes.push(required(`${at}.http.paths`));
    return [...causes, ...paths.flatMap((path, k) => validatePath(index(`${at}.http.paths`, k), path))];
  });
}

function validatePath(field: string, { path = '', pathType, backend = {} }: Path): FieldError[] {
  if (pathType === undefined || pathType === null) {
    return [required(`${field}.pathType`, 'pathType must be specified')];
  }
  const causes: FieldError[] = [];
  const at = `${field}.path`;
  if (pathType === 'Exact' || pathType === 'Prefix') {
    if (!path.startsWith('/')) causes.push(invalid(at, path, 'must be an absolute path'));
    else {
      for (const sign of BAD_SIGNS)
        if (path.includes(sign)) causes.push(invalid(at, path, `must not contain '${sign}'`));
      for (const end of BAD_ENDS) if (path.endsWith(end)) causes.push(invalid(at, path, `cannot end with '${end}'`));
    }
  } else if (pathType === 'ImplementationSpecific') {
    if (path !== '' && !path.startsWith('/')) causes.push(invalid(at, path, 'must be an absolute path'));
  } else append(causes, validateOneOf(`${field}.pathType`, pathType, PATH_TYPES));
  return [...causes, ...validateBackend(`${field}.backend`, backend)];
}

function validateTls({ tls = [] }: NonNullable<Ingress['spec']>): FieldError[] {
  return tls.flatMap(({ hosts = [], secretName = '' }, i) => {
    const at = index('spec.tls', i);
    const names = hosts.flatMap((host, k) => validateHost(index(`${at}.hosts`, k), host));
    return secretName === ''
      ? names
      : [...names, ...causesFor(`${at}.secretName`, secretName, dns1123SubdomainProblems(secretName))];
  });
}

interface IngressClass {
  spec?: {
    controller?: string;
    parameters?: { apiGroup?: string; kind?: string; name?: string; scope?: string; namespace?: string };
  };
}

const MAX_CONTROLLER_LENGTH = 250;

export const ingressClasses: KindStrategy<IngressClass> = {
  defaults(object) {
    const parameters = object.spec?.parameters;
    if (parameters !== undefined) parameters.scope ??= 'Cluster';
  },
  validate(object, old) {
    const { controller = '', parameters } = object.spec ?? {};
    const causes: FieldError[] = [];
    if (controller.length > MAX_CONTROLLER_LENGTH) causes.push(tooLong('spec.controller', MAX_CONTROLLER_LENGTH));
    if (controller === '') causes.push(required('spec.controller'));
    else append(causes, validateDomainPath('spec.controller', controller));
    if (parameters !== undefined) append(causes, validateParameters('spec.parameters', parameters));
    const before = old;
    if (before === undefined) return causes;
    return [...validateUnchanged('spec.controller', controller, before.spec?.controller), ...causes];
  },
};

function validateParameters(
  field: string,
  { kind = '', name = '', scope, namespace }: NonNullable<NonNullable<IngressClass['spec']>['parameters']>,
): FieldError[] {
  const causes = [
    ...(kind === '' ? [required(`${field}.kind`)] : causesFor(`${field}.kind`, kind, pathSegmentProblems(kind))),
    ...(name === '' ? [required(`${field}.name`)] : causesFor(`${field}.name`, name, pathSegmentProblems(name))),
    ...validateOneOfIfSet(`${field}.scope`, scope, ['Cluster', 'Namespace']),
  ];
  const at = `${field}.namespace`;
  if (scope === 'Namespace') {
    if (namespace === undefined) causes.push(required(at, "`parameters.scope` is set to 'Namespace'"));
    else append(causes, causesFor(at, namespace, dns1123LabelProblems(namespace)));
  } else if (scope === 'Cluster' && namespace !== undefined) {
    causes.push(forbidden(at, "`parameters.scope` is set to 'Cluster'"));
  }
  return causes;
}
