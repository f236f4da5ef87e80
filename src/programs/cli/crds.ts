import { type Command, Option } from 'commander';
import { stringify } from 'yaml';
import { GROUPS } from '#api/groups';
import { KINDS } from '#api/kinds';
import { crdOf } from '#platform/schema/crd';
import { CheckedCommand } from './checked-command.ts';
import type { Io } from './io.ts';
import { withVmShortName } from './vm-short-name.ts';

/** Builds `vimana crds`, which prints the CustomResourceDefinitions for `kubectl apply -f -`. */
export function crdsCommand(io: Io): Command {
  const groups = [...new Set(KINDS.map(({ group }) => group))];
  return new CheckedCommand('crds')
    .description('print the CustomResourceDefinitions, for kubectl apply -f -')
    .addOption(new Option('-g, --group <group>', 'only this API group').choices(groups))
    .action(({ group }: { group?: string }) => {
      const kinds = KINDS.filter((kind) => group === undefined || kind.group === group);
      // One group has the short name vm: the printed one, or kubevirt.io if all are printed.
      const named = withVmShortName(kinds, group ?? GROUPS.kubevirt);
      const yaml = named.map((kind) => stringify(crdOf(kind), { lineWidth: 0, aliasDuplicateObjects: false }));
      io.out(yaml.map((text) => `---\n${text}`).join(''));
    });
}
