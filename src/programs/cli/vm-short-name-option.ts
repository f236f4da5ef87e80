import { Option } from 'commander';
import { type DialectName, GROUPS } from '#api/groups';
import { VM_GROUPS } from './vm-groups.ts';

/** Returns the flag for the group that the short name `vm` means. */
export const vmShortNameOption = (fallback = 'kubevirt.io if it is served, else the first of --dialects') =>
  new Option('--vm-short-name <group>', `API group that the short name vm means (default: ${fallback})`).choices([
    ...VM_GROUPS,
  ]);

/** Rejects a short name for a group that is not selected. */
export function unservedShortName(flags: {
  readonly dialects: readonly DialectName[];
  readonly vmShortName?: string;
}): string[] {
  const { dialects, vmShortName: group } = flags;
  // An unknown group is reported already.
  const isUnknown = group === undefined || !VM_GROUPS.some((known) => known === group);
  if (isUnknown || dialects.some((name) => GROUPS[name] === group)) return [];
  return [`--vm-short-name is ${group}, but --dialects does not include it.`];
}
