import { append } from '#platform/base/append';
import { base64Length } from '#platform/base/base64';
import { type FieldError, invalid, required } from '#platform/base/field-error';
import { dns1035LabelProblems, dns1123SubdomainProblems } from '#platform/base/names';
import { causesFor, validatePortNumber, validatePresent } from './field-checks.ts';
import type { KindStrategy } from './kind-strategy.ts';

interface ApiService {
  spec?: {
    group?: string;
    version?: string;
    groupPriorityMinimum?: number;
    versionPriority?: number;
    service?: { name?: string; namespace?: string; port?: number };
    insecureSkipTLSVerify?: boolean;
    caBundle?: string;
  };
}

export const apiServices: KindStrategy<ApiService> = {
  defaults(object) {
    const { service } = object.spec ?? {};
    if (service !== undefined) service.port ??= 443;
  },
  validate(object) {
    const { spec = {} } = object;
    const { group = '', version = '', groupPriorityMinimum = 0, versionPriority = 0, service } = spec;
    const { name = '' } = object.metadata;
    const causes: FieldError[] = [];
    if (name !== `${version}.${group}`) {
      causes.push(invalid('metadata.name', name, `must be \`spec.version+"."+spec.group\`: "${version}.${group}"`));
    }
    if (group === '') {
      if (version !== 'v1') {
        causes.push(required('spec.group', 'only v1 may have an empty group and it better be legacy kube'));
      }
    } else append(causes, causesFor('spec.group', group, dns1123SubdomainProblems(group)));
    append(causes, causesFor('spec.version', version, dns1035LabelProblems(version)));
    append(causes, validatePriority('spec.groupPriorityMinimum', groupPriorityMinimum, 20_000));
    append(causes, validatePriority('spec.versionPriority', versionPriority, 1000));
    const at = 'spec.insecureSkipTLSVerify';
    if (service === undefined) {
      if ((spec.caBundle ?? '') !== '') {
        causes.push(
          invalid(
            'spec.caBundle',
            `${base64Length(spec.caBundle ?? '')} bytes`,
            'local APIServices may not have a caBundle',
          ),
        );
      }
      if (spec.insecureSkipTLSVerify === true) {
        causes.push(invalid(at, true, 'local APIServices may not have insecureSkipTLSVerify'));
      }
      return causes;
    }
    append(
      causes,
      validatePresent('spec.service.namespace', service.namespace),
      validatePresent('spec.service.name', service.name),
    );
    for (const cause of validatePortNumber('spec.service.port', service.port)) {
      causes.push({ ...cause, detail: `port is not valid: ${cause.detail}` });
    }
    if (spec.insecureSkipTLSVerify === true && (spec.caBundle ?? '') !== '') {
      causes.push(invalid(at, true, 'may not be true if caBundle is present'));
    }
    return causes;
  },
};

function validatePriority(field: string, value: number, max: number): FieldError[] {
  return value > 0 && value <= max ? [] : [invalid(field, value, `must be positive and less than ${max}`)];
}
