import { ageOf, type Cell, type Condition, type Listed, nameOf } from '../cell.ts';

interface Node extends Listed {
  readonly spec?: { readonly unschedulable?: boolean };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly addresses?: readonly { readonly type?: string; readonly address?: string }[];
    readonly nodeInfo?: {
      readonly kubeletVersion?: string;
      readonly osImage?: string;
      readonly kernelVersion?: string;
      readonly architecture?: string;
      readonly containerRuntimeVersion?: string;
    };
  };
}

const ROLE_PREFIX = 'node-role.kubernetes.io/';
const ROLE = 'kubernetes.io/role';

export function nodeRow(node: Node, now: number): Cell[] {
  const { addresses, nodeInfo = {} } = node.status ?? {};
  const address = (type: string) => addresses?.find((item) => item.type === type)?.address ?? '<none>';
  const architecture = nodeInfo.architecture ? ` (${nodeInfo.architecture})` : '';
  return [
    nameOf(node),
    nodeStatus(node),
    roles(node),
    ageOf(node, now),
    nodeInfo.kubeletVersion ?? '',
    address('InternalIP'),
    address('ExternalIP'),
    nodeInfo.osImage || '<unknown>',
    `${nodeInfo.kernelVersion || '<unknown>'}${architecture}`,
    nodeInfo.containerRuntimeVersion || '<unknown>',
  ];
}

function nodeStatus({ spec, status }: Node): string {
  const ready = status?.conditions?.findLast((item) => item.type === 'Ready');
  const health = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return spec?.unschedulable === true ? `${health},SchedulingDisabled` : health;
}

/** Returns the roles, which are labels of an old and a new form. */
function roles({ metadata }: Node): string {
  const found = new Set<string>();
  for (const [key, value] of Object.entries(metadata?.labels ?? {})) {
    if (key.startsWith(ROLE_PREFIX)) found.add(key.slice(ROLE_PREFIX.length));
    else if (key === ROLE) found.add(value);
  }
  found.delete('');
  return [...found].sort().join(',') || '<none>';
}
