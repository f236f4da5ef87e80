import type { Environment } from '#platform/structural/cel/environment';
import { joinReasons } from '../../join-reasons.ts';
import { BUDGET, Expression, ExpressionError, type Inputs } from './expression.ts';

export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** Reports whether all conditions match, or the problem if that cannot be decided. */
export type Matches = (inputs: Inputs) => boolean | { readonly problem: string };

/** Compiles match conditions. One condition that is false decides, whatever the errors of others. */
export function matchConditions(
  conditions: readonly MatchCondition[],
  environment: Environment,
  budget = BUDGET,
): Matches {
  const expressions = conditions.map(({ expression }) => new Expression(expression, environment, ['bool']));
  return (inputs) => {
    const meter = { cost: 0 };
    const problems: string[] = [];
    for (const expression of expressions) {
      try {
        if (expression.evaluate(inputs, meter, budget) !== true) return false;
      } catch (error) {
        if (!(error instanceof ExpressionError)) throw error;
        problems.push(error.message);
        if (error.last) break;
      }
    }
    return problems.length === 0 || { problem: joinReasons(problems) };
  };
}
