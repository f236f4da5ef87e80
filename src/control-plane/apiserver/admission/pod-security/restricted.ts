import { unconfinedSeccomp } from './baseline.ts';
import {
  type CheckedSecurityContext,
  contextOf,
  culprits,
  formatContainers,
  namesOf,
  plural,
  quoteNames,
  type SecurityCheck,
  type SecuritySubject,
} from './check.ts';

/** Minor version from which pods for Windows are exempt from checks that do not apply to Windows. */
const WINDOWS = 25;
/** Minor version from which pods with a user namespace are exempt from checks of users. */
const USER_NAMESPACES = 35;

const isForWindows = ({ spec }: SecuritySubject, minor: number) => minor >= WINDOWS && spec.os?.name === 'windows';
const hasOwnUsers = ({ spec }: SecuritySubject, minor: number) => minor >= USER_NAMESPACES && spec.hostUsers === false;

const allowPrivilegeEscalation: SecurityCheck = {
  id: 'allowPrivilegeEscalation',
  since: 8,
  run(subject, minor) {
    if (isForWindows(subject, minor)) return undefined;
    const names = namesOf(subject, (container) => contextOf(container).allowPrivilegeEscalation !== false);
    if (names.length === 0) return undefined;
    return {
      reason: 'allowPrivilegeEscalation != false',
      detail: `${formatContainers(names)} must set securityContext.allowPrivilegeEscalation=false`,
    };
  },
};

const capabilities: SecurityCheck = {
  id: 'capabilities_restricted',
  since: 22,
  replaces: 'capabilities_baseline',
  run(subject, minor) {
    if (isForWindows(subject, minor)) return undefined;
    const extra = ({ capabilities: given }: CheckedSecurityContext) =>
      (given?.add ?? []).filter((name) => name !== 'NET_BIND_SERVICE');
    const keeping = namesOf(subject, (each) => contextOf(each).capabilities?.drop?.includes('ALL') !== true);
    const adding = namesOf(subject, (each) => extra(contextOf(each)).length > 0);
    const added = [...new Set(subject.containers.flatMap((each) => extra(contextOf(each))))].sort();
    const parts = [
      ...(keeping.length > 0
        ? [`${formatContainers(keeping)} must set securityContext.capabilities.drop=["ALL"]`]
        : []),
      ...(adding.length > 0
        ? [`${formatContainers(adding)} must not include ${quoteNames(added)} in securityContext.capabilities.add`]
        : []),
    ];
    return parts.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: parts.join('; ') };
  },
};

const VOLUMES = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);

const restrictedVolumes: SecurityCheck = {
  id: 'restrictedVolumes',
  replaces: 'hostPathVolumes',
  run({ spec }) {
    const bad = (spec.volumes ?? []).flatMap(({ name = '', ...source }) =>
      Object.keys(source)
        .filter((type) => !VOLUMES.has(type))
        .map((type) => ({ name, type })),
    );
    if (bad.length === 0) return undefined;
    const types = [...new Set(bad.map(({ type }) => type))].sort();
    const uses = `${plural('uses', 'use', bad.length)} ${plural('restricted volume type', 'restricted volume types', types.length)}`;
    const volumes = `${plural('volume', 'volumes', bad.length)} ${quoteNames(bad.map(({ name }) => name))}`;
    return { reason: 'restricted volume types', detail: `${volumes} ${uses} ${quoteNames(types)}` };
  },
};

const runAsNonRoot: SecurityCheck = {
  id: 'runAsNonRoot',
  run(subject, minor) {
    if (hasOwnUsers(subject, minor)) return undefined;
    const reason = 'runAsNonRoot != true';
    const who = culprits(subject, ({ runAsNonRoot: value }) => value === false);
    if (who !== undefined) return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
    if (contextOf(subject.spec).runAsNonRoot === true) return undefined;
    const silent = namesOf(subject, (container) => contextOf(container).runAsNonRoot === undefined);
    if (silent.length === 0) return undefined;
    return { reason, detail: `pod or ${formatContainers(silent)} must set securityContext.runAsNonRoot=true` };
  },
};

const runAsUser: SecurityCheck = {
  id: 'runAsUser',
  since: 23,
  run(subject, minor) {
    if (hasOwnUsers(subject, minor)) return undefined;
    const who = culprits(subject, ({ runAsUser: user }) => user === 0);
    return who === undefined ? undefined : { reason: 'runAsUser=0', detail: `${who} must not set runAsUser=0` };
  },
};

const seccomp: SecurityCheck = {
  id: 'seccompProfile_restricted',
  since: 19,
  replaces: 'seccompProfile_baseline',
  run(subject, minor) {
    if (isForWindows(subject, minor)) return undefined;
    const unconfined = unconfinedSeccomp(subject);
    if (unconfined !== undefined || contextOf(subject.spec).seccompProfile !== undefined) return unconfined;
    const silent = namesOf(subject, (container) => contextOf(container).seccompProfile === undefined);
    if (silent.length === 0) return undefined;
    return {
      reason: 'seccompProfile',
      detail: `pod or ${formatContainers(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
    };
  },
};

/** Additional checks of the restricted level. */
export const RESTRICTED: readonly SecurityCheck[] = [
  allowPrivilegeEscalation,
  capabilities,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
  seccomp,
];
