import { append } from '#platform/base/append';
import { duplicate, type FieldError, forbidden, index, invalid, required } from '#platform/base/field-error';
import { MAX_INT32, validateBetween, validateOneOf } from '../field-checks.ts';
import { goStruct } from '../go-struct.ts';
import type { PodSecurityContext, PodSpec, SecurityContext, SecurityProfile } from './pod-spec.ts';

const PROFILES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const SYSCTL = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const BAD_SYSCTL = String.raw`must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`;

function id(field: string, value: number | undefined): FieldError[] {
  return value === undefined ? [] : validateBetween(field, value, 0, MAX_INT32);
}

/** Validates the users and the host namespaces of a pod. */
export function validatePodSecurity(field: string, spec: PodSpec): FieldError[] {
  const at = `${field}.securityContext`;
  const context: PodSecurityContext = spec.securityContext ?? {};
  const causes = [
    ...id(`${at}.fsGroup`, context.fsGroup),
    ...id(`${at}.runAsUser`, context.runAsUser),
    ...id(`${at}.runAsGroup`, context.runAsGroup),
    ...(context.supplementalGroups ?? []).flatMap((group, i) => id(index(`${at}.supplementalGroups`, i), group)),
  ];
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const detail = 'ShareProcessNamespace and HostPID cannot both be enabled';
    causes.push(invalid(`${at}.shareProcessNamespace`, true, detail));
  }
  append(causes, validateSysctls(`${at}.sysctls`, context.sysctls ?? []));
  if (context.fsGroupChangePolicy !== undefined) {
    append(
      causes,
      validateOneOf(`${at}.fsGroupChangePolicy`, context.fsGroupChangePolicy, ['Always', 'OnRootMismatch']),
    );
  }
  append(causes, validateSeccomp(`${at}.seccompProfile`, context.seccompProfile));
  append(causes, validateAppArmor(`${at}.appArmorProfile`, context.appArmorProfile));
  if (context.supplementalGroupsPolicy !== undefined) {
    append(
      causes,
      validateOneOf(`${at}.supplementalGroupsPolicy`, context.supplementalGroupsPolicy, ['Merge', 'Strict']),
    );
  }
  return causes;
}

function validateSysctls(field: string, sysctls: readonly { name?: string }[]): FieldError[] {
  const names = new Set<string>();
  return sysctls.flatMap(({ name = '' }, i) => {
    const at = `${index(field, i)}.name`;
    if (name === '') return [required(at)];
    if (name.length > 253 || !SYSCTL.test(name)) return [invalid(at, name, BAD_SYSCTL)];
    if (names.has(name)) return [duplicate(at, name)];
    names.add(name);
    return [];
  });
}

function validateSeccomp(field: string, profile: SecurityProfile | undefined): FieldError[] {
  if (profile === undefined) return [];
  const { type = '', localhostProfile } = profile;
  if (type === '') return [required(`${field}.type`, 'type is required when seccompProfile is set')];
  const causes: FieldError[] = [];
  if (type === 'Localhost') {
    if (localhostProfile === undefined) {
      causes.push(required(`${field}.localhostProfile`, 'must be set when seccomp type is Localhost'));
    }
  } else {
    if (localhostProfile !== undefined) {
      const shown = goStruct({ Type: type, LocalhostProfile: localhostProfile });
      causes.push(invalid(`${field}.localhostProfile`, shown, 'can only be set when seccomp type is Localhost'));
    }
    append(causes, validateOneOf(`${field}.type`, type, PROFILES));
  }
  return causes;
}

function validateAppArmor(field: string, profile: SecurityProfile | undefined): FieldError[] {
  if (profile === undefined) return [];
  const { type = '', localhostProfile } = profile;
  if (type === '') return [required(`${field}.type`, 'type is required when appArmorProfile is set')];
  const at = `${field}.localhostProfile`;
  if (type === 'Localhost') {
    return localhostProfile === undefined ? [required(at, 'must be set when AppArmor type is Localhost')] : [];
  }
  return [
    ...(localhostProfile === undefined
      ? []
      : [invalid(at, localhostProfile, 'can only be set when AppArmor type is Localhost')]),
    ...validateOneOf(`${field}.type`, type, PROFILES),
  ];
}

export function validateSecurity(field: string, context: SecurityContext | undefined, spec: PodSpec): FieldError[] {
  if (context === undefined) return [];
  const causes = [...id(`${field}.runAsUser`, context.runAsUser), ...id(`${field}.runAsGroup`, context.runAsGroup)];
  if (context.procMount !== undefined) {
    append(causes, validateOneOf(`${field}.procMount`, context.procMount, ['Default', 'Unmasked']));
    if (context.procMount === 'Unmasked' && spec.hostUsers !== false) {
      causes.push(invalid(`${field}.procMount`, 'Unmasked', '`hostUsers` must be false to use `Unmasked`'));
    }
  }
  append(causes, validateSeccomp(`${field}.seccompProfile`, context.seccompProfile));
  if (context.allowPrivilegeEscalation === false && context.privileged === true) {
    causes.push(invalid(field, context, 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true'));
  }
  return [...causes, ...validateAppArmor(`${field}.appArmorProfile`, context.appArmorProfile)];
}

/** Rejects host namespaces for a pod with a user namespace. */
export function validateHostUsers(field: string, spec: PodSpec): FieldError[] {
  if (spec.hostUsers !== false) return [];
  const detail = 'when `hostUsers` is false';
  return [
    ...(spec.hostNetwork === true ? [forbidden(`${field}.hostNetwork`, detail)] : []),
    ...(spec.hostPID === true ? [forbidden(`${field}.HostPID`, detail)] : []),
    ...(spec.hostIPC === true ? [forbidden(`${field}.HostIPC`, detail)] : []),
  ];
}
