import type { Environment } from '#platform/structural/cel/environment';
import type { Library } from '#platform/structural/cel/library';
import type { CostTracker } from '#platform/structural/cel/program';
import { DYN, objectOf, type Type } from '#platform/structural/cel/types';
import { EvaluationError, Mapping, type Value } from '#platform/structural/cel/values';
import { Expression, type Inputs, type MakeEnvironment } from '../cel/expression.ts';
import type { PolicySpec } from './policy.ts';

export interface Variable {
  readonly name: string;
  readonly expression: Expression;
}

/**
 * Compiles the variables of a policy, each of which can use those before it, and the environment that declares all of
 * them.
 */
export function compileVariables(
  { variables = [], paramKind }: PolicySpec,
  make: MakeEnvironment,
  libraries: readonly Library[],
): { readonly variables: readonly Variable[]; readonly environment: Environment } {
  const params = paramKind !== undefined;
  const types = new Map<string, Type>();
  const environment = () => {
    const known = variables.length === 0 ? {} : { variables: objectOf('kubernetes.variables', new Map(types)) };
    return make({ params, libraries, ...known });
  };
  const compiled = variables.map(({ name, expression }) => {
    const variable = { name, expression: new Expression(expression, environment()) };
    types.set(name, variable.expression.type ?? DYN);
    return variable;
  });
  return { variables: compiled, environment: environment() };
}

/** Values of variables, each of which is computed on first access. */
export class VariableValues extends Mapping {
  readonly type: Type = objectOf('kubernetes.variables', new Map());
  readonly #variables: ReadonlyMap<string, Expression>;
  readonly #known = new Map<string, Value | EvaluationError>();
  readonly #inputs: Inputs;
  readonly #meter: CostTracker;

  constructor(variables: readonly Variable[], inputs: Inputs, meter: CostTracker) {
    super();
    this.#variables = new Map(variables.map(({ name, expression }) => [name, expression]));
    this.#inputs = { ...inputs, variables: this };
    this.#meter = meter;
  }

  get size(): number {
    return this.#variables.size;
  }

  get(name: Value): Value | undefined {
    const expression = typeof name === 'string' ? this.#variables.get(name) : undefined;
    if (typeof name !== 'string' || expression === undefined) return undefined;
    const known = this.#known.get(name) ?? this.#compute(name, expression);
    this.#known.set(name, known);
    if (known instanceof EvaluationError) throw known;
    return known;
  }

  keys(): Iterable<Value> {
    return this.#variables.keys();
  }

  #compute(name: string, expression: Expression): Value | EvaluationError {
    try {
      return expression.run(this.#inputs, this.#meter);
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      return new EvaluationError(`composited variable ${JSON.stringify(name)} fails to evaluate: ${error.message}`);
    }
  }
}
