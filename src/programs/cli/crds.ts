import { type Command, Option } from 'commander';
import { stringify } from 'yaml';
import { KINDS } from '#api/kinds';
import { crdOf } from '#platform/schema/crd';
import { CheckedCommand } from './checked-command.ts';
import type { Io } from './io.ts';

/** Builds `vimana crds`, which prints the CustomResourceDefinitions for `kubectl apply -f -`. */
export function crdsCommand(io: Io): Command {
  const groups = [...new Set(KINDS.map(({ group }) => group))];
  return new CheckedCommand('crds')
    .description('print the CustomResourceDefinitions, for kubectl apply -f -')
    .addOption(new Option('-g, --group <group>', 'only this API group').choices(groups))
    .action(({ group }: { group?: string }) => {
      const kinds = KINDS.filter((kind) => group === undefined || kind.group === group);
      const yaml = kinds.map((kind) => stringify(crdOf(kind), { lineWidth: 0, aliasDuplicateObjects: false }));
      io.out(yaml.map((text) => `---\n${text}`).join(''));
    });
}
