import { ALL_CLAIM_WORDS } from '#api/kinds';
import { LAUNCHER_LABEL, VM_LABEL } from '#api/launcher';
import { type FieldError, forbidden, key } from '#platform/base/field-error';

type Words = Readonly<Record<string, string>>;

const RESERVED: ReadonlySet<string> = new Set([
  VM_LABEL,
  ...ALL_CLAIM_WORDS.map(({ machine }) => machine),
  LAUNCHER_LABEL,
]);

/**
 * Rejects labels by which Services and others select the pod of a VM, so users must not set them. Stored labels are not
 * validated again, so that other changes stay possible.
 */
export function validateOwnLabels(field: string, labels: Words = {}, before: Words = {}): FieldError[] {
  return Object.entries(labels)
    .filter(([name, value]) => isOwnLabel(name) && before[name] !== value)
    .map(([name]) => forbidden(key(field, name), 'is reserved: it is set on every VM to select it; use another name'));
}

const isOwnLabel = (name: string) => RESERVED.has(name) || /^(?:[a-z0-9-]+\.)*kubevirt\.io\//.test(name);
