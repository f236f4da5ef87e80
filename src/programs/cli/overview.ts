import { KINDS } from '#api/kinds';

/** Returns the text for newcomers: the commands, and what to type next. */
export function overview(): string {
  const groups = new Map<string, string[]>();
  for (const { group, kind } of KINDS) groups.set(group, [...(groups.get(group) ?? []), kind]);
  const widest = Math.max(...[...groups.keys()].map((group) => group.length));
  const kinds = [...groups].map(([group, names]) => `  ${group.padEnd(widest)}  ${names.join(', ')}`);
  return [
    'Vimana: virtual machines as Kubernetes resources.',
    '',
    'Kinds:',
    ...kinds,
    '',
    'Try:',
    '  bin/vimana up                         a whole cluster in one process, with a demo fleet',
    '  bin/vimana vm list                    machines of every group, on any cluster',
    '  bin/vimana validate examples          check manifests, no cluster needed',
    '  bin/vimana install --dry-run          what a cluster would get: kinds, rights, nodes, examples',
    '  bin/vimana --help                     all commands',
    '',
    'Guides: docs/guides. Reference: docs/reference. Examples: examples/.',
    '',
  ].join('\n');
}
