import { type DialectName, GROUPS } from '#api/groups';
import { KINDS } from '#api/kinds';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  type CustomResourceDefinition,
} from '#platform/kube/kinds/custom-resource-definition';
import { groupsNamedVm, vmShortNameGroup, withVmShortName } from '#programs/cli/vm-short-name';
import { crdFor } from './crds.ts';
import type { DesiredObject } from './desired-objects.ts';

export interface VmShortNamePlan {
  readonly group: string;
  /** CRDs of other installed groups, which lose the short name. */
  readonly withheld: readonly DesiredObject[];
  readonly notes: readonly string[];
}

/**
 * Decides which group has the short name `vm` on a cluster: the requested one, or the one that has it already, since
 * many users share a cluster and one of them should not change what the others type.
 */
export function planVmShortName(
  definitions: readonly CustomResourceDefinition[],
  dialects: readonly DialectName[],
  requested?: string,
): VmShortNamePlan {
  const holders = groupsNamedVm(definitions);
  const ours = definitions.filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/part-of'] === 'vimana');
  const group = requested ?? singleHolder(holders) ?? vmShortNameGroup(dialects);
  const isChosen = (other: string) => dialects.some((name) => GROUPS[name] === other);
  const losers = new Set(groupsNamedVm(ours).filter((holder) => holder !== group && !isChosen(holder)));
  const withheld = withVmShortName(KINDS, group)
    .filter((kind) => kind.kind === 'VirtualMachine' && losers.has(kind.group))
    .map((kind) => ({ type: CUSTOM_RESOURCE_DEFINITIONS, object: crdFor(kind) }));
  const foreign = holders.filter((holder) => holder !== group && !groupsNamedVm(ours).includes(holder));
  return { group, withheld, notes: notesOf({ group, holders, foreign, others: dialects.map((name) => GROUPS[name]) }) };
}

/** Returns the group that has the name. If several have it, as after older versions, it is decided as for a new cluster. */
function singleHolder(holders: readonly string[]): string | undefined {
  return holders.includes(GROUPS.kubevirt) ? GROUPS.kubevirt : holders[0];
}

interface Meaning {
  readonly group: string;
  readonly holders: readonly string[];
  /** Groups of other products that have the name too. */
  readonly foreign: readonly string[];
  readonly others: readonly string[];
}

function notesOf({ group, holders, foreign, others }: Meaning): string[] {
  const [before = group] = holders;
  return [
    ...(before === group
      ? []
      : [`vm means VMs of ${group} from now on, no longer of ${before} (kubectl get virtualmachines.${before}).`]),
    ...(others.includes(group)
      ? []
      : [
          `vm still means VMs of ${group}; --vm-short-name changes that. Use the full name: virtualmachines.${others[0]}.`,
        ]),
    ...foreign.map((holder) => `vm is also a short name in ${holder}, which belongs to another product.`),
  ];
}
