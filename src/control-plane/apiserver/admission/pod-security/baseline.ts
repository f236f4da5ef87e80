import type { Container, Handler } from '../../kinds/pod/pod-spec.ts';
import {
  type CheckedSecurityContext,
  contextOf,
  culprits,
  distinctValues,
  formatContainers,
  namesOf,
  plural,
  quoteNames,
  type SecurityCheck,
  type SecuritySubject,
} from './check.ts';

const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const CAPABILITIES = new Set(
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(
    ' ',
  ),
);

const appArmorProfile: SecurityCheck = {
  id: 'appArmorProfile',
  run(subject) {
    const isBad = ({ appArmorProfile: profile }: CheckedSecurityContext) => profile?.type === 'Unconfined';
    const annotations = Object.entries(subject.metadata.annotations ?? {}).filter(
      ([name, value]) =>
        name.startsWith(APP_ARMOR) && value !== '' && value !== 'runtime/default' && !value.startsWith('localhost/'),
    );
    const who = [
      culprits(subject, isBad),
      annotations.length > 0 ? plural('annotation', 'annotations', annotations.length) : undefined,
    ];
    const setters = who.filter((part) => part !== undefined);
    if (setters.length === 0) return undefined;
    const values = [
      ...(culprits(subject, isBad) === undefined ? [] : ['Unconfined']),
      ...annotations.map(([name, value]) => `${name}="${value}"`),
    ];
    return {
      reason: plural('forbidden AppArmor profile', 'forbidden AppArmor profiles', values.length),
      detail: `${setters.join(' and ')} must not set AppArmor profile type to ${quoteNames(values)}`,
    };
  },
};

const capabilities: SecurityCheck = {
  id: 'capabilities_baseline',
  run(subject) {
    const extra = ({ capabilities: given }: CheckedSecurityContext) =>
      (given?.add ?? []).filter((name) => !CAPABILITIES.has(name));
    const names = namesOf(subject, (container) => extra(contextOf(container)).length > 0);
    if (names.length === 0) return undefined;
    const added = [...new Set(subject.containers.flatMap((container) => extra(contextOf(container))))].sort();
    const detail = `${formatContainers(names)} must not include ${quoteNames(added)} in securityContext.capabilities.add`;
    return { reason: 'non-default capabilities', detail };
  },
};

const hostNamespaces: SecurityCheck = {
  id: 'hostNamespaces',
  run({ spec }) {
    const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field] === true);
    if (shared.length === 0) return undefined;
    return { reason: 'host namespaces', detail: shared.map((field) => `${field}=true`).join(', ') };
  },
};

const hostPathVolumes: SecurityCheck = {
  id: 'hostPathVolumes',
  run({ spec }) {
    const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name = '' }) => name);
    if (names.length === 0) return undefined;
    return { reason: 'hostPath volumes', detail: `${plural('volume', 'volumes', names.length)} ${quoteNames(names)}` };
  },
};

const hostPorts: SecurityCheck = {
  id: 'hostPorts',
  run(subject) {
    const portsOf = ({ ports = [] }: Container) =>
      ports.flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [`${hostPort}`]));
    const names = namesOf(subject, (container) => portsOf(container).length > 0);
    if (names.length === 0) return undefined;
    const ports = [...new Set(subject.containers.flatMap(portsOf))].sort();
    const uses = `${plural('uses', 'use', names.length)} ${plural('hostPort', 'hostPorts', ports.length)}`;
    return { reason: 'hostPort', detail: `${formatContainers(names)} ${uses} ${ports.join(', ')}` };
  },
};

function hostsOf({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): string[] {
  const handlers: (Handler | undefined)[] = [
    livenessProbe,
    readinessProbe,
    startupProbe,
    lifecycle?.postStart,
    lifecycle?.preStop,
  ];
  return handlers.flatMap((handler) => {
    const { httpGet, tcpSocket } = (handler ?? {}) as { httpGet?: { host?: string }; tcpSocket?: { host?: string } };
    return [httpGet?.host, tcpSocket?.host].filter((host): host is string => host !== undefined && host !== '');
  });
}

const probeHosts: SecurityCheck = {
  id: 'hostProbesAndHostLifecycle',
  since: 34,
  run(subject) {
    const names = namesOf(subject, (container) => hostsOf(container).length > 0);
    if (names.length === 0) return undefined;
    const hosts = [...new Set(subject.containers.flatMap(hostsOf))].sort();
    const uses = `${plural('uses', 'use', names.length)} probe or lifecycle ${plural('host', 'hosts', hosts.length)}`;
    return { reason: 'probe or lifecycle host', detail: `${formatContainers(names)} ${uses} ${quoteNames(hosts)}` };
  },
};

const privileged: SecurityCheck = {
  id: 'privileged',
  run(subject) {
    const names = namesOf(subject, (container) => contextOf(container).privileged === true);
    if (names.length === 0) return undefined;
    const detail = `${formatContainers(names)} must not set securityContext.privileged=true`;
    return { reason: 'privileged', detail };
  },
};

const procMount: SecurityCheck = {
  id: 'procMount',
  run(subject) {
    const isBad = ({ procMount: type = 'Default' }: CheckedSecurityContext) => type !== 'Default';
    const names = namesOf(subject, (container) => isBad(contextOf(container)));
    if (names.length === 0) return undefined;
    const types = distinctValues(subject, (context) => (isBad(context) ? [context.procMount ?? ''] : []));
    return {
      reason: 'procMount',
      detail: `${formatContainers(names)} must not set securityContext.procMount to ${quoteNames(types)}`,
    };
  },
};

const SELINUX_TYPES = new Set(['', 'container_t', 'container_init_t', 'container_kvm_t']);
const ENGINE_TYPE = { type: 'container_engine_t', since: 31 };

const seLinuxOptions: SecurityCheck = {
  id: 'seLinuxOptions',
  run(subject, minor) {
    const isBadType = (type = '') =>
      !SELINUX_TYPES.has(type) && !(type === ENGINE_TYPE.type && minor >= ENGINE_TYPE.since);
    const types = distinctValues(subject, ({ seLinuxOptions: given }) =>
      isBadType(given?.type) ? [given?.type ?? ''] : [],
    );
    const who = culprits(
      subject,
      ({ seLinuxOptions: given }) => isBadType(given?.type) || Boolean(given?.user) || Boolean(given?.role),
    );
    if (who === undefined) return undefined;
    const said = (field: 'user' | 'role') =>
      [subject.spec, ...subject.containers].some((each) => Boolean(contextOf(each).seLinuxOptions?.[field]));
    const parts = [
      ...(types.length > 0 ? [`${plural('type', 'types', types.length)} ${quoteNames(types)}`] : []),
      ...(said('user') ? ['user may not be set'] : []),
      ...(said('role') ? ['role may not be set'] : []),
    ];
    return {
      reason: 'seLinuxOptions',
      detail: `${who} set forbidden securityContext.seLinuxOptions: ${parts.join('; ')}`,
    };
  },
};

/** Returns the violations of seccomp by a pod and its containers, which no level allows. */
export function unconfinedSeccomp(subject: SecuritySubject) {
  const isBad = ({ seccompProfile }: CheckedSecurityContext) =>
    seccompProfile !== undefined && seccompProfile.type !== 'RuntimeDefault' && seccompProfile.type !== 'Localhost';
  const who = culprits(subject, isBad);
  if (who === undefined) return undefined;
  const types = distinctValues(subject, (context) => (isBad(context) ? [context.seccompProfile?.type ?? ''] : []));
  const detail = `${who} must not set securityContext.seccompProfile.type to ${quoteNames(types)}`;
  return { reason: 'seccompProfile', detail };
}

const seccomp: SecurityCheck = { id: 'seccompProfile_baseline', since: 19, run: unconfinedSeccomp };

const SYSCTLS: ReadonlyMap<string, number> = new Map([
  ['kernel.shm_rmid_forced', 0],
  ['net.ipv4.ip_local_port_range', 0],
  ['net.ipv4.tcp_syncookies', 0],
  ['net.ipv4.ping_group_range', 0],
  ['net.ipv4.ip_unprivileged_port_start', 0],
  ['net.ipv4.ip_local_reserved_ports', 27],
  ['net.ipv4.tcp_keepalive_time', 29],
  ['net.ipv4.tcp_fin_timeout', 29],
  ['net.ipv4.tcp_keepalive_intvl', 29],
  ['net.ipv4.tcp_keepalive_probes', 29],
  ['net.ipv4.tcp_rmem', 32],
  ['net.ipv4.tcp_wmem', 32],
]);

const sysctls: SecurityCheck = {
  id: 'sysctls',
  run({ spec }, minor) {
    const names = (contextOf(spec).sysctls ?? []).map(({ name = '' }) => name);
    const bad = names.filter((name) => minor < (SYSCTLS.get(name) ?? Number.POSITIVE_INFINITY) || !SYSCTLS.has(name));
    return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
  },
};

const windowsHostProcess: SecurityCheck = {
  id: 'windowsHostProcess',
  run(subject) {
    const who = culprits(subject, ({ windowsOptions }) => windowsOptions?.hostProcess === true);
    if (who === undefined) return undefined;
    return { reason: 'hostProcess', detail: `${who} must not set securityContext.windowsOptions.hostProcess=true` };
  },
};

/** Checks of the baseline level, which only trusted system components may violate. */
export const BASELINE: readonly SecurityCheck[] = [
  appArmorProfile,
  capabilities,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  probeHosts,
  privileged,
  procMount,
  seLinuxOptions,
  seccomp,
  sysctls,
  windowsHostProcess,
];
