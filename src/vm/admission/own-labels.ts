import { CLAIM_WORDS as HYPERSDK } from '#api/hypersdk/claims';
import { LAUNCHER_LABEL, VM_LABEL } from '#api/launcher';
import { CLAIM_WORDS as NOVACRON } from '#api/novacron/claims';
import { type FieldError, forbidden, key } from '#platform/base/field-error';

type Words = Readonly<Record<string, string>>;

const RESERVED: ReadonlySet<string> = new Set([VM_LABEL, HYPERSDK.machine, NOVACRON.machine, LAUNCHER_LABEL]);

/**
 * By some labels of its pod a machine is found, by its Service and by others: they are not a user's to give. What stands
 * already is not looked at again: it must stay possible to write beside it.
 */
export function validateOwnLabels(field: string, labels: Words = {}, before: Words = {}): FieldError[] {
  return Object.entries(labels)
    .filter(([name, value]) => isOwnLabel(name) && before[name] !== value)
    .map(([name]) => forbidden(key(field, name), 'is set for every machine, which is found by it: use another name'));
}

const isOwnLabel = (name: string) => RESERVED.has(name) || /^(?:[a-z0-9-]+\.)*kubevirt\.io\//.test(name);
