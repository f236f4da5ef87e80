import type { PodSpec } from '#platform/kube/kinds/pod';

/** A host port that a pod uses. */
export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

const ANY = '0.0.0.0';
const NONE: readonly HostPort[] = [];

export function hostPortsOf({ containers, initContainers = [] }: PodSpec): readonly HostPort[] {
  const staying = initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always');
  const ports = [...containers, ...staying].flatMap((container) =>
    (container.ports ?? []).flatMap(({ hostPort = 0, hostIP = '', protocol = 'TCP' }) =>
      hostPort > 0 ? [{ ip: hostIP === '' ? ANY : hostIP, protocol, port: hostPort }] : [],
    ),
  );
  return ports.length === 0 ? NONE : ports;
}

/** Reports whether these ports conflict on one node. */
export function collide(a: HostPort, b: HostPort): boolean {
  return a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === ANY || b.ip === ANY);
}
