import { OUTBOUND_RANGE } from './blocked-ranges.ts';
import type { Isolation } from './isolation.ts';

/** How the keeper starts QEMU: in which namespaces, as whom, and with which auxiliary process. */
export interface IsolatedLaunch {
  /** Command that creates the namespaces and runs the rest of its arguments in them. */
  readonly enter: readonly string[];
  /** Shell commands that set the namespaces up. */
  readonly setUp: readonly string[];
  /** Command that gives up all privileges and runs the rest of its arguments. */
  readonly drop: readonly string[];
  /** User that owns what QEMU opens, if it is not the user of the keeper. */
  readonly owner?: number;
  /** slirp4netns, which gets the process ID of QEMU and the name of its interface as its last arguments. */
  readonly outbound?: readonly string[];
}

/** File that must be visible to a machine at a name in its directory, although its user cannot reach its path. */
export interface BoundFile {
  readonly file: string;
  readonly name: string;
}

export interface LaunchOptions {
  readonly isolation: Isolation;
  readonly uid?: number | undefined;
  /** Group of /dev/kvm, if the machine uses it. */
  readonly kvmGroup?: number | undefined;
  readonly bound: readonly BoundFile[];
}

/** Name of the file in a machine directory that is the resolver configuration of QEMU. */
export const RESOLVER_FILE = 'resolv.conf';

const SLIRP4NETNS = [
  ...['slirp4netns', '--configure', '--mtu=65520', `--cidr=${OUTBOUND_RANGE}`],
  ...['--disable-host-loopback', '--enable-sandbox', '--enable-seccomp'],
];

/** Returns how to start QEMU, as a pure function of what the host allows. */
export function isolatedLaunch({ isolation, uid, kvmGroup, bound }: LaunchOptions): IsolatedLaunch {
  const { user, network, blocked } = isolation;
  if (user === 'none') return { enter: [], setUp: [], drop: dropPrivileges(undefined, undefined) };
  const as = {
    drop: [...dropPrivileges(uid, kvmGroup), '--bounding-set=-all'],
    ...(uid === undefined ? {} : { owner: uid }),
  };
  const owner = user === 'namespace' ? ['--user', '--map-root-user'] : [];
  const enter = ['unshare', ...owner, '--net', '--mount', '--ipc', '--'];
  const binds = bound.map(({ file, name }) => `mount --bind ${quote(file)} ${quote(name)}`);
  if (network === 'private') return { ...as, enter, setUp: ['ip link set lo up', ...binds] };
  const routes = blocked.map((range) => `route add unreachable ${range}`);
  const batch = ['link set lo up', ...routes].join('\\n');
  const resolver = `[ ! -e /etc/resolv.conf ] || mount --bind ${RESOLVER_FILE} /etc/resolv.conf`;
  const setUp = [`printf '${batch}\\n' | ip -batch -`, resolver, ...binds];
  return { ...as, enter, setUp, outbound: SLIRP4NETNS };
}

function dropPrivileges(uid: number | undefined, kvmGroup: number | undefined): string[] {
  const groups = kvmGroup === undefined ? '--clear-groups' : `--groups=${kvmGroup}`;
  const user = uid === undefined ? [] : [`--reuid=${uid}`, `--regid=${uid}`, groups];
  return ['setpriv', '--pdeathsig=KILL', '--no-new-privs', '--inh-caps=-all', ...user];
}

/** Quotes a word for the shell. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
