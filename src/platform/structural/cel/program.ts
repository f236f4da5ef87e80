import { check } from './checker.ts';
import { compile } from './compiler.ts';
import { constantProblem } from './constants.ts';
import type { Environment } from './environment.ts';
import type { Range, Shape } from './estimate.ts';
import { estimateCost } from './estimator.ts';
import { Frame } from './frame.ts';
import { parse } from './parser.ts';
import { formatIssues, type Issue, SourceError } from './source.ts';
import type { Type } from './types.ts';
import { validate } from './validators.ts';
import type { Value } from './values.ts';

/** Cost limit of one expression. */
const PER_CALL_LIMIT = 1_000_000;

/** Compiled expression. */
export interface Program {
  readonly type: Type;
  /** Variables of the environment that the expression references. */
  readonly variables: ReadonlySet<string>;
  /** Estimates bounds of the cost from the shapes of the variables. */
  estimate(shapes: ReadonlyMap<string, Shape>): Range;
  /**
   * Evaluates with the values of the environment's variables, in their order, and adds the cost to `tracker` in any
   * case. Throws an EvaluationError on failure, and CostExceededError if it costs too much.
   */
  evaluate(values: readonly Value[], tracker?: CostTracker, limit?: number): Value;
}

/** Accumulates the cost of evaluations. */
export interface CostTracker {
  cost: number;
}

/** Compiles an expression, or returns the problem in the API server's words. */
export function compileProgram(source: string, environment: Environment): Program | { readonly problem: string } {
  const issues: Issue[] = [];
  try {
    const node = parse(source);
    const checked = check(node, environment, issues);
    if (issues.length === 0) validate(node, checked, issues);
    if (issues.length > 0) return { problem: `compilation failed: ${formatIssues(source, issues)}` };
    const constant = constantProblem(node, checked);
    if (constant !== undefined) return { problem: `program instantiation failed: ${constant}` };
    const { code, slots } = compile(node, checked, [...environment.variables.keys()]);
    return {
      type: checked.type,
      variables: checked.variables,
      estimate: (shapes) => estimateCost(node, checked, shapes),
      evaluate(values, tracker, limit = PER_CALL_LIMIT) {
        const frame = new Frame(values, slots, limit);
        try {
          return code(frame);
        } finally {
          if (tracker !== undefined) tracker.cost += frame.cost;
        }
      },
    };
  } catch (error) {
    if (error instanceof SourceError) return { problem: `compilation failed: ${formatIssues(source, error.issues)}` };
    throw error;
  }
}
