import { type FieldError, invalid } from '#platform/base/field-error';
import { validateNotNegative } from './field-checks.ts';
import type { KindStrategy } from './kind-strategy.ts';

interface Lease {
  spec?: { leaseDurationSeconds?: number; leaseTransitions?: number };
}

export const leases: KindStrategy<Lease> = {
  validate(object) {
    const { leaseDurationSeconds: seconds, leaseTransitions } = object.spec ?? {};
    const causes: FieldError[] = [];
    if (seconds !== undefined && seconds <= 0) {
      causes.push(invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0'));
    }
    return [...causes, ...validateNotNegative('spec.leaseTransitions', leaseTransitions)];
  },
};
