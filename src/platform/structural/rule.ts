import type { CelRule, JsonSchema } from '#platform/schema/json-schema';
import { type Environment, KUBERNETES } from './cel/environment.ts';
import type { Shape } from './cel/estimate.ts';
import { compileProgram, type Program } from './cel/program.ts';
import { shapeOf } from './cel/schema-shape.ts';
import { optionalOf, type Type } from './cel/types.ts';
import { readFieldPath } from './field-path.ts';

/** Names that the rules of one position in a schema may use. */
export interface RuleScope {
  readonly schema: JsonSchema;
  readonly environment: Environment;
  /** Environment for rules that also run without an old value, where it is optional. */
  readonly optionalEnvironment: Environment;
  readonly shapes: ReadonlyMap<string, Shape>;
}

/** Compiled rule. If compilation failed, `problem` is the reason in the API server's words. */
export interface CompiledRule {
  readonly rule: CelRule;
  readonly program: Program | undefined;
  readonly problem: string | undefined;
  readonly message: Program | undefined;
  readonly messageProblem: string | undefined;
  /** The rule references the old value. It is a transition rule and does not apply without one. */
  readonly usesOldSelf: boolean;
  /** Path below its position at which the rule reports. */
  readonly fieldPath: string;
}

/** Returns the scope of rules on a schema, or undefined if the schema does not describe its values enough for rules. */
export function ruleScope(schema: JsonSchema, root: boolean): RuleScope | undefined {
  const shape = shapeOf(schema, root, 'selfType');
  if (shape === undefined) return undefined;
  const variables = (oldSelf: Type): ReadonlyMap<string, Type> =>
    new Map([
      ['self', shape.type],
      ['oldSelf', oldSelf],
    ]);
  return {
    schema,
    environment: KUBERNETES.extend(variables(shape.type)),
    optionalEnvironment: KUBERNETES.extend(variables(optionalOf(shape.type))),
    shapes: new Map([
      ['self', shape],
      ['oldSelf', shape],
    ]),
  };
}

export function compileRule(rule: CelRule, scope: RuleScope): CompiledRule {
  const environment = rule.optionalOldSelf === true ? scope.optionalEnvironment : scope.environment;
  const main = compileTo('bool', rule.rule, environment);
  const message =
    (rule.messageExpression ?? '').trim() === ''
      ? undefined
      : compileTo('string', rule.messageExpression ?? '', scope.environment);
  return {
    rule,
    program: main.program,
    problem: main.problem,
    message: message?.program,
    messageProblem: message?.problem,
    usesOldSelf: main.program?.variables.has('oldSelf') === true,
    fieldPath: rule.fieldPath === undefined ? '' : (readFieldPath(rule.fieldPath, scope.schema) ?? rule.fieldPath),
  };
}

const WRONG_TYPE = {
  bool: 'cel expression must evaluate to a bool',
  string: 'messageExpression must evaluate to a string',
};

function compileTo(
  kind: 'bool' | 'string',
  source: string,
  environment: Environment,
): { program?: Program; problem?: string } {
  const program = compileProgram(source, environment);
  if ('problem' in program) {
    return { problem: kind === 'bool' ? program.problem : `messageExpression ${program.problem}` };
  }
  return program.type.kind === kind ? { program } : { problem: WRONG_TYPE[kind] };
}
