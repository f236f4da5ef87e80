import { forbidden } from '#platform/base/field-error';
import type { Authorize } from '../../access/attributes.ts';
import { MASTERS, type User } from '../../access/user.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../admission-plugin.ts';
import { invalid } from '../../api-error.ts';
import { type ObjectSource, readObject } from '../../object-source.ts';
import { ADMISSION_GROUP } from '../matching.ts';
import { bindingSpec, type PolicySpec, policySpec } from './policy.ts';

const POLICIES = new Set(['validatingadmissionpolicies', 'mutatingadmissionpolicies']);
const POLICIES_OF_BINDINGS: ReadonlyMap<string, string> = new Map([
  ['validatingadmissionpolicybindings', 'validatingadmissionpolicies'],
  ['mutatingadmissionpolicybindings', 'mutatingadmissionpolicies'],
]);

/**
 * Requires the author of a policy or binding to be allowed to read its parameters, because the server reads them on the
 * author's behalf and a policy can reveal them. A policy requires all of the kind, a binding those that it names.
 */
export function paramAccess(authorize: Authorize, source: ObjectSource): AdmissionPlugin {
  return {
    name: 'ParamAccess',
    validate(write) {
      const { resource, subresource, operation, object, name, call } = write;
      if (resource.group !== ADMISSION_GROUP || subresource !== '' || object === undefined) return;
      if (operation !== 'CREATE' && operation !== 'UPDATE') return;
      if (call.user.groups.includes(MASTERS)) return;
      const policies = POLICIES_OF_BINDINGS.get(resource.plural);
      const denial = POLICIES.has(resource.plural)
        ? policyDenial(authorize, source, write)
        : policies === undefined
          ? undefined
          : bindingDenial(authorize, source, write, policies);
      if (denial === undefined) return;
      const field = policies === undefined ? 'spec.paramKind' : 'spec.paramRef';
      throw invalid(resource, name || object.metadata.name || '', [forbidden(field, denial)]);
    },
  };
}

type ParamKind = NonNullable<PolicySpec['paramKind']>;

/** Permission to read objects that a user needs. `*` stands for what cannot be determined. */
interface Needed {
  readonly group: string;
  readonly resource: string;
  readonly problem?: 'parse' | 'resolve';
}

function neededFor({ apiVersion, kind }: ParamKind, { registry }: ObjectSource): Needed {
  const parts = apiVersion.split('/');
  if (parts.length > 2) return { group: '*', resource: '*', problem: 'parse' };
  const group = parts.length === 2 ? (parts[0] ?? '') : '';
  const resource = registry.ofKind(apiVersion, kind)?.plural;
  return resource === undefined ? { group, resource: '*', problem: 'resolve' } : { group, resource };
}

function policyDenial(
  authorize: Authorize,
  source: ObjectSource,
  { object, old, call }: AdmissionAttributes,
): string | undefined {
  const { paramKind } = object === undefined ? {} : policySpec(object);
  if (paramKind === undefined) return undefined;
  const before = old === undefined ? undefined : policySpec(old).paramKind;
  if (before?.kind === paramKind.kind && before.apiVersion === paramKind.apiVersion) return undefined;
  const { group, resource } = neededFor(paramKind, source);
  const { user } = call;
  if (authorize({ user, verb: 'get', group, resource, namespace: '*', name: '*' }).allowed) return undefined;
  const { kind, apiVersion } = paramKind;
  return `user ${goUser(user)} must have "get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`;
}

/** Checks a binding on every write, since its policy may have changed. */
function bindingDenial(
  authorize: Authorize,
  source: ObjectSource,
  { object, call }: AdmissionAttributes,
  policies: string,
): string | undefined {
  const { paramRef, policyName = '' } = object === undefined ? {} : bindingSpec(object);
  if (paramRef === undefined) return undefined;
  const policy = readObject(source, ADMISSION_GROUP, 'v1', policies, '', policyName);
  const paramKind = policy === undefined ? undefined : policySpec(policy).paramKind;
  const { group, resource, problem } =
    paramKind === undefined ? { group: '*', resource: '*' } : neededFor(paramKind, source);
  const { name = '', namespace = '' } = paramRef;
  const verb = name === '' ? 'list' : 'get';
  if (authorize({ user: call.user, verb, group, resource, namespace, name }).allowed) return undefined;
  const who = goUser(call.user);
  const lacksAll = `to determine minimum required permissions and user ${who} does not have "${verb}" permission for all groups, versions and resources`;
  if (policy === undefined) return `unable to get policy ${policyName} ${lacksAll}`;
  if (problem !== undefined) {
    return `unable to ${problem} paramKind &{${paramKind?.apiVersion} ${paramKind?.kind}} ${lacksAll}`;
  }
  return `user ${who} does not have "${verb}" permission on the object referenced by paramRef`;
}

/** Formats a user as Go prints one. */
function goUser({ name, uid = '', groups, extra = {} }: User): string {
  const keys = Object.keys(extra).sort();
  const shown = keys.map((key) => `${key}:[${(extra[key] ?? []).join(' ')}]`);
  return `&{${name} ${uid} [${groups.join(' ')}] map[${shown.join(' ')}]}`;
}
