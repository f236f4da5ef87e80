import type { KubeObject } from '#platform/kube/kube-object';
import { type Environment, KUBERNETES } from '#platform/structural/cel/environment';
import { valueOfJson } from '#platform/structural/cel/json-value';
import type { Library } from '#platform/structural/cel/library';
import { type CostTracker, compileProgram, type Program } from '#platform/structural/cel/program';
import { DYN, formatType, type Type } from '#platform/structural/cel/types';
import { CostExceededError, EvaluationError, type Mapping, type Value } from '#platform/structural/cel/values';
import type { Authorize } from '../../access/attributes.ts';
import { AUTHORIZER_TYPE, type Authorizer, authorizerLibrary } from './authorizer.ts';
import { REQUEST } from './request.ts';

/** Values that an admission expression can access. */
export interface Inputs {
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  readonly request: Readonly<Record<string, unknown>>;
  readonly authorizer: Authorizer;
  readonly params?: KubeObject | undefined;
  /** Namespace of the object, null for cluster-scoped requests. Match conditions of webhooks do not have it. */
  readonly namespaceObject?: KubeObject | null;
  readonly variables?: Mapping;
}

export interface EnvironmentOptions {
  readonly params?: boolean;
  /** Type of `variables`, if a policy has any. */
  readonly variables?: Type;
  readonly libraries?: readonly Library[];
}

export type MakeEnvironment = (options?: EnvironmentOptions) => Environment;

/** Declares the variables of an admission expression, in the order in which `valuesOf` returns their values. */
export function admissionEnvironment(authorize: Authorize): MakeEnvironment {
  const base = KUBERNETES.extend(
    new Map([
      ['object', DYN],
      ['oldObject', DYN],
      ['request', REQUEST],
      ['namespaceObject', DYN],
      ['authorizer', AUTHORIZER_TYPE],
    ]),
    [authorizerLibrary(authorize)],
  );
  return ({ params = false, variables, libraries = [] } = {}) =>
    base.extend(
      new Map([
        ...(params ? [['params', DYN] as const] : []),
        ...(variables === undefined ? [] : [['variables', variables] as const]),
      ]),
      libraries,
    );
}

const NOTHING = valueOfJson({});

function valuesOf(
  { object, oldObject, request, authorizer, params, namespaceObject, variables }: Inputs,
  { variables: names }: Environment,
): Value[] {
  const values: Value[] = [
    valueOfJson(object ?? null),
    valueOfJson(oldObject ?? null),
    valueOfJson(request),
    namespaceObject === undefined ? NOTHING : valueOfJson(namespaceObject),
    authorizer,
  ];
  if (names.has('params')) values.push(valueOfJson(params ?? null));
  if (names.has('variables')) values.push(variables ?? NOTHING);
  return values;
}

/** Cost limits for all expressions of one policy, and for all match conditions of one webhook. */
export const BUDGET = 10_000_000;
export const CONDITIONS_BUDGET = 2_500_000;
const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

/** Reason why an expression has no value. With `last`, no further expression may be evaluated. */
export class ExpressionError extends Error {
  readonly last: boolean;
  constructor(message: string, last = false) {
    super(message);
    this.last = last;
  }
}

/** An expression of a policy or webhook. One that does not compile fails on every evaluation. */
export class Expression {
  readonly source: string;
  readonly type: Type | undefined;
  readonly #environment: Environment;
  readonly #program: Program | undefined;
  readonly #problem: string;

  constructor(source: string, environment: Environment, expected: readonly Type['kind'][] = []) {
    this.source = source;
    this.#environment = environment;
    const program = compileProgram(source, environment);
    const failed = 'problem' in program;
    this.#program = failed ? undefined : program;
    this.type = failed ? undefined : program.type;
    this.#problem = failed ? program.problem : '';
    if (!failed && expected.length > 0 && !program.type.isDyn && !expected.includes(program.type.kind)) {
      this.#program = undefined;
      this.#problem = `must evaluate to ${expected.join(' or ')} but got ${formatType(program.type)}`;
    }
  }

  /** Compilation error of the expression, undefined if there is none. */
  get problem(): string | undefined {
    return this.#problem === '' ? undefined : this.#problem;
  }

  /** Returns the value. Throws the error of the evaluation, or an ExpressionError if there is nothing to evaluate. */
  run(inputs: Inputs, meter: CostTracker): Value {
    if (this.#program === undefined) throw new ExpressionError(`compilation error: ${this.#problem}`);
    return this.#program.evaluate(valuesOf(inputs, this.#environment), meter);
  }

  /** Returns the value. Throws an ExpressionError if there is none. */
  evaluate(inputs: Inputs, meter: CostTracker, budget = BUDGET): Value {
    try {
      const value = this.run(inputs, meter);
      if (meter.cost > budget) throw new ExpressionError(OUT_OF_BUDGET, true);
      return value;
    } catch (error) {
      if (error instanceof ExpressionError) throw error;
      if (!(error instanceof EvaluationError || error instanceof CostExceededError)) throw error;
      if (meter.cost > budget) throw new ExpressionError(OUT_OF_BUDGET, true);
      throw new ExpressionError(`expression '${this.source}' resulted in error: ${error.message}`);
    }
  }
}
