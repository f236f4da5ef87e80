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

/** What one expression may cost before it is stopped. */
const PER_CALL_LIMIT = 1_000_000;

/** An expression that is ready to be evaluated. */
export interface Program {
  readonly type: Type;
  /** The variables of the environment that it names. */
  readonly variables: ReadonlySet<string>;
  /** Bounds the cost, given what is known about the variables. */
  estimate(shapes: ReadonlyMap<string, Shape>): Range;
  /**
   * Evaluates with the values of the environment's variables, in their order. Throws an EvaluationError where that
   * comes to nothing, and CostExceeded where it costs too much; `meter` learns the cost in any case.
   */
  evaluate(values: readonly Value[], tracker?: CostTracker, limit?: number): Value;
}

/** Adds up what evaluations cost. */
export interface CostTracker {
  cost: number;
}

/** Compiles an expression, or tells in the API server's words why that cannot be done. */
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
