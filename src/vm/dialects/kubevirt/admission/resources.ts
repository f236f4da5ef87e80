import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { append } from '#platform/base/append';
import { type FieldError, invalid, required } from '#platform/base/field-error';
import { isTooFewBytes } from '#platform/base/intended-bytes';
import { ownValue } from '#platform/base/own-value';
import { compare, type Quantity } from '#platform/base/quantity';
import { tooFewBytes } from '#vm/admission/amounts';
import { read, validateAmount, validateSize } from './quantities.ts';

/** Validates requests, limits and guest memory, each alone and against the others. */
export function validateResource({ domain }: InstanceSpec, path: string): FieldError[] {
  const { requests = {}, limits = {} } = domain.resources ?? {};
  const at = `${path}.domain.resources`;
  const causes: FieldError[] = [];
  for (const [name, written] of Object.entries(limits)) append(causes, validateSize(`${at}.limits[${name}]`, written));
  for (const [name, written] of Object.entries(requests)) {
    append(causes, validateSize(`${at}.requests[${name}]`, written));
    const limit = ownValue(limits, name);
    if (limit !== undefined && exceeds(read(written), read(limit))) {
      const detail = `must be less than or equal to ${name} limit of ${limit}`;
      causes.push(invalid(`${at}.requests[${name}]`, written, detail));
    }
  }
  const requested = requests['memory'];
  if (requested !== undefined && isBelowLeast(read(requested))) {
    causes.push(tooFewBytes(`${at}.requests[memory]`, requested, 'memory'));
  }
  return [...causes, ...validateMemory(domain, `${path}.domain`)];
}

function exceeds(a: Quantity | undefined, b: Quantity | undefined): boolean {
  return a !== undefined && b !== undefined && compare(a, b) > 0;
}

function isBelowLeast(memory: Quantity | undefined): boolean {
  return memory !== undefined && memory.nano > 0n && isTooFewBytes(memory);
}

function validateMemory({ memory, resources }: InstanceSpec['domain'], at: string): FieldError[] {
  if (memory === undefined) return [];
  const { guest, maxGuest, hugepages } = memory;
  const causes: FieldError[] = [];
  if (guest !== undefined) append(causes, validateGuest(`${at}.memory.guest`, guest));
  if (maxGuest !== undefined) append(causes, validateGuest(`${at}.memory.maxGuest`, maxGuest));
  const seen = guest ?? resources?.requests?.['memory'];
  const limit = resources?.limits?.['memory'];
  if (guest !== undefined && limit !== undefined && exceeds(read(guest), read(limit))) {
    causes.push(invalid(`${at}.memory.guest`, guest, `must be equal to or less than the memory limit of ${limit}`));
  }
  if (seen !== undefined && maxGuest !== undefined && exceeds(read(seen), read(maxGuest))) {
    causes.push(
      invalid(`${at}.memory.maxGuest`, maxGuest, `must be equal to or more than the guest memory of ${seen}`),
    );
  }
  if (hugepages?.pageSize !== undefined) {
    append(causes, validateHugepage(hugepages.pageSize, seen, `${at}.memory.hugepages.pageSize`));
  }
  return causes;
}

/** KubeVirt accepts less than a megabyte here, but then its guest cannot start. */
function validateGuest(field: string, written: string | number): FieldError[] {
  const causes = validateAmount(field, written);
  return causes.length === 0 && isBelowLeast(read(written)) ? [tooFewBytes(field, written, 'memory')] : causes;
}

function validateHugepage(pageSize: string, memory: string | number | undefined, field: string): FieldError[] {
  const wrong = validateAmount(field, pageSize);
  const page = read(pageSize);
  const total = read(memory);
  if (wrong.length > 0 || page === undefined || total === undefined || total.nano % page.nano === 0n) return wrong;
  return [invalid(field, pageSize, `the guest memory of ${memory} is not a multiple of the page size`)];
}

/** Returns the error for missing memory. Hugepages or a limit define it as well as a request does. */
export function memoryMissing({ domain }: InstanceSpec, path: string): FieldError | undefined {
  const { memory, resources } = domain;
  if (memory?.guest !== undefined || memory?.hugepages !== undefined) return undefined;
  if (resources?.requests?.['memory'] !== undefined || resources?.limits?.['memory'] !== undefined) return undefined;
  const detail = `no memory requested, at least one of '${path}.domain.memory.guest', '${path}.domain.memory.hugepages.size' or '${path}.domain.resources.requests.memory' must be set`;
  return required(`${path}.domain.memory.guest`, detail);
}
