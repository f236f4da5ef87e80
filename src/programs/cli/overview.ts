import { KINDS } from '#api/kinds';
import { withInstalledPaths } from './installed-paths.ts';

/** Returns the text for newcomers: the commands, and what to type next. */
export function overview(): string {
  const groups = new Map<string, string[]>();
  for (const { group, kind } of KINDS) groups.set(group, [...(groups.get(group) ?? []), kind]);
  const widest = Math.max(...[...groups.keys()].map((group) => group.length));
  const kinds = [...groups].map(([group, names]) => `  ${group.padEnd(widest)}  ${names.join(', ')}`);
  const lines = [
    'Vimana: virtual machines as Kubernetes resources.',
    '',
    'Kinds:',
    ...kinds,
    '',
    'Try:',
    '  bin/vimana up                         run a cluster in one process, with a demo fleet',
    '  bin/vimana vm list                    list VMs of every API group, on any cluster',
    '  bin/vimana validate examples          validate manifests, without a cluster',
    '  bin/vimana install --dry-run          show what would be installed: CRDs, RBAC, nodes, examples',
    '  bin/vimana --help                     list all commands',
    '',
    'Guides: docs/guides. Reference: docs/reference. Examples: examples/.',
    '',
  ];
  return withInstalledPaths(lines.join('\n'));
}
