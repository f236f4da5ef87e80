import { KINDS } from '../api/kinds.ts';

/** What a newcomer sees first: what is here, and what to type next. */
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
    '  bin/vimana validate examples                      check manifests, no cluster needed',
    '  bin/vimana crds | kubectl apply -f -              teach the kinds to a cluster',
    '  bin/vimana apiserver --kubeconfig-out kubeconfig  a Kubernetes API server in one process',
    '  bin/vimana --help                                 all commands',
    '',
    'Not built yet: what makes a VirtualMachine run (vimana up).',
    'Reference: docs/reference/kinds.md. Examples: examples/.',
    '',
  ].join('\n');
}
