import type { Mutant } from './mutants.ts';

/** Result of the tests for a mutant. A mutant without effect is one that no test could notice. */
export type Outcome =
  | { readonly kind: 'killed'; readonly test: string }
  | { readonly kind: 'survived'; readonly tests: number }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'no-effect'; readonly reason: string };

export interface Verdict {
  readonly mutant: Mutant;
  readonly outcome: Outcome;
}

/** Formats a verdict as one line, with a second one for what explains it. */
export function formatVerdict({ mutant, outcome }: Verdict): string {
  const line = `${outcome.kind.padEnd(9)} ${mutant.path}:${mutant.line}  ${formatChange(mutant)}`;
  switch (outcome.kind) {
    case 'killed':
      return line;
    case 'timeout':
      return line;
    case 'survived':
      return `${line}\n          ${outcome.tests} related test files pass`;
    case 'no-effect':
      return `${line}\n          ${outcome.reason}`;
  }
}

/** Formats the change on one line, such as `a < b` as `< → <=`. */
export function formatChange({ original, replacement }: Mutant): string {
  return `${oneLine(original)} → ${replacement === '' || replacement === ';' ? '(removed)' : oneLine(replacement)}`;
}

const MAX_CODE = 70;

function oneLine(code: string): string {
  const line = code.replaceAll(/\s+/g, ' ');
  return line.length > MAX_CODE ? `${line.slice(0, MAX_CODE - 1)}…` : line;
}

export interface Score {
  readonly killed: number;
  readonly survived: number;
  readonly timeouts: number;
  readonly noEffect: number;
  /** Share of the mutants with an effect that the tests noticed. A test that never ends has noticed. */
  readonly rate: number;
}

export function scoreOf(verdicts: readonly Verdict[]): Score {
  const count = (kind: Outcome['kind']) => verdicts.filter(({ outcome }) => outcome.kind === kind).length;
  const [killed, survived, timeouts] = [count('killed'), count('survived'), count('timeout')];
  const effective = killed + survived + timeouts;
  const rate = effective === 0 ? 1 : (killed + timeouts) / effective;
  return { killed, survived, timeouts, noEffect: count('no-effect'), rate };
}

export function formatScore({ killed, survived, timeouts, noEffect, rate }: Score): string {
  const share = `${(Math.floor(rate * 1000) / 10).toFixed(1)} %`;
  return `${killed} killed, ${survived} survived, ${noEffect} no effect, ${timeouts} timeouts: ${share} of the mutants with an effect are killed`;
}
