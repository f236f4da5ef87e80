import { exceedsBytes } from '#platform/base/utf8';
import type { CostTracker } from './cel/program.ts';
import { CostExceededError, EvaluationError, Optional, type Value } from './cel/values.ts';
import type { CompiledRule } from './rule.ts';

/** Cost limit of all rules of one object together. */
export const BUDGET = 10_000_000;
export const OUT_OF_BUDGET =
  'validation failed due to running out of cost budget, no further validation rules will be run';
const MAX_MESSAGE_LENGTH = 5 * 1024;

/** Result of a rule that does not hold. */
export interface RuleResult {
  readonly detail: string;
  /** The rule failed with an error, rather than evaluating to false. */
  readonly broken: boolean;
  /** No more rules must be evaluated. */
  readonly last: boolean;
}

/** Evaluates a rule. Returns why it does not hold, or undefined if it does. */
export function evaluate(
  compiled: CompiledRule,
  self: Value | EvaluationError,
  oldSelf: Value | EvaluationError | undefined,
  tracker: CostTracker,
): RuleResult | undefined {
  const { program } = compiled;
  if (program === undefined) return ruleFailure(`rule compile error: ${compiled.problem}`);
  let holds: Value;
  try {
    if (self instanceof EvaluationError) throw self;
    if (oldSelf instanceof EvaluationError) throw oldSelf;
    holds = program.evaluate([self, oldValue(compiled, oldSelf)], tracker);
  } catch (error) {
    return failureFromError(error, compiled, tracker);
  }
  if (tracker.cost > BUDGET) return ruleFailure(OUT_OF_BUDGET, true);
  if (holds === true) return undefined;
  return refusal(compiled, self, oldSelf instanceof EvaluationError ? undefined : oldSelf, tracker);
}

const ruleFailure = (detail: string, last = false): RuleResult => ({ detail, broken: true, last });

/** Converts an evaluation error to a result of its rule. Any other error is an internal error of the server. */
function failureFromError(error: unknown, { rule }: CompiledRule, tracker: CostTracker): RuleResult {
  const name = (rule.message ?? '').trim() || rule.rule.trim();
  const { message } = error as Error;
  if (error instanceof CostExceededError) {
    if (tracker.cost > BUDGET) return ruleFailure(OUT_OF_BUDGET, true);
    return ruleFailure(
      `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${name}`,
      true,
    );
  }
  if (!(error instanceof EvaluationError)) throw error;
  if (tracker.cost > BUDGET) return ruleFailure(OUT_OF_BUDGET, true);
  if (!message.startsWith('no such overload')) return ruleFailure(`${message} evaluating rule: ${name}`);
  return ruleFailure(
    `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`,
  );
}

function oldValue({ rule }: CompiledRule, oldSelf: Value | undefined): Value {
  if (rule.optionalOldSelf !== true) return oldSelf ?? null;
  return oldSelf === undefined ? Optional.none : new Optional(oldSelf);
}

/** Returns the message of a rule that does not hold: from its message expression, its message, or the rule itself. */
function refusal(
  { rule, message }: CompiledRule,
  self: Value,
  oldSelf: Value | undefined,
  tracker: CostTracker,
): RuleResult {
  const stated = (rule.message ?? '').trim();
  const detail = stated === '' ? `failed rule: ${rule.rule.trim()}` : stated;
  if (message === undefined) return { detail, broken: false, last: false };
  try {
    const text = message.evaluate([self, oldSelf ?? null], tracker);
    const usable = typeof text === 'string' ? text.trim() : '';
    const fits = usable !== '' && !usable.includes('\n') && !exceedsBytes(usable, MAX_MESSAGE_LENGTH);
    if (tracker.cost <= BUDGET) return { detail: fits ? usable : detail, broken: false, last: false };
    return {
      detail:
        'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
      broken: false,
      last: true,
    };
  } catch (error) {
    if (error instanceof CostExceededError) {
      const source = JSON.stringify(rule.messageExpression);
      return {
        detail: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${source}`,
        broken: false,
        last: true,
      };
    }
    if (!(error instanceof EvaluationError)) throw error;
    return { detail, broken: false, last: false };
  }
}
