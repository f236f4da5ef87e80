import { type FieldError, invalid } from '#platform/base/field-error';
import { validateNotNegative } from '../field-checks.ts';

interface Counted {
  status?: Readonly<Record<string, unknown>>;
}

/** Returns rules for a status that counts pods: `counts` are never negative, and `parts` never exceed `replicas`. */
export function countingStatus(counts: readonly string[], parts: readonly string[] = []) {
  return {
    validate(object: object): FieldError[] {
      const { status = {} } = object as Counted;
      const count = (name: string): number => (typeof status[name] === 'number' ? status[name] : 0);
      const causes = counts.flatMap((name) => validateNotNegative(`status.${name}`, count(name)));
      for (const name of parts) {
        if (count(name) <= count('replicas')) continue;
        causes.push(invalid(`status.${name}`, count(name), 'cannot be greater than status.replicas'));
      }
      if (parts.includes('availableReplicas') && count('availableReplicas') > count('readyReplicas')) {
        const detail = 'cannot be greater than readyReplicas';
        causes.push(invalid('status.availableReplicas', count('availableReplicas'), detail));
      }
      return causes;
    },
  };
}
