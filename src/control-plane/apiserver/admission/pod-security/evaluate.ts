import { BASELINE } from './baseline.ts';
import type { SecurityCheck, SecuritySubject, Violation } from './check.ts';
import type { Standard } from './level.ts';
import { RESTRICTED } from './restricted.ts';

/** Returns all violations of a standard by a pod. */
export function violations({ level, minor }: Standard, subject: SecuritySubject): Violation[] {
  if (level === 'privileged') return [];
  const isKnown = ({ since = 0 }: SecurityCheck) => minor >= since;
  const strict = level === 'restricted' ? RESTRICTED.filter(isKnown) : [];
  const replaced = new Set(strict.map(({ replaces }) => replaces));
  const plain = BASELINE.filter((check) => isKnown(check) && !replaced.has(check.id));
  return [...plain, ...strict].flatMap((check) => check.run(subject, minor) ?? []);
}

export function formatViolations(found: readonly Violation[]): string {
  return found.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');
}
