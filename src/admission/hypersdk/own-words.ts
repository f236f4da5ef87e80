import { CLAIM_WORDS } from '../../api/hypersdk/claims.ts';
import { LAUNCHER_LABEL, VM_LABEL } from '../../api/launcher.ts';
import { type FieldError, forbidden, key } from '../../base/field-error.ts';

type Words = Readonly<Record<string, string>>;

/** Words that something here goes by. What stands already is not looked at again: it must stay possible to write beside it. */

const RESERVED: ReadonlySet<string> = new Set([VM_LABEL, CLAIM_WORDS.machine, LAUNCHER_LABEL]);

/** By some labels of its pod a machine is found, by its Service and by others: they are not a user's to give. */
export function checkOwnLabels(field: string, labels: Words = {}, before: Words = {}): FieldError[] {
  return Object.entries(labels)
    .filter(([name, value]) => isReserved(name) && before[name] !== value)
    .map(([name]) => forbidden(key(field, name), 'is set for every machine, which is found by it: use another name'));
}

const isReserved = (name: string) => RESERVED.has(name) || /^(?:[a-z0-9-]+\.)*kubevirt\.io\//.test(name);
