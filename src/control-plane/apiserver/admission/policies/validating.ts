import { exceedsBytes } from '#platform/base/utf8';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Environment } from '#platform/structural/cel/environment';
import type { CostTracker } from '#platform/structural/cel/program';
import type { AdmissionAttributes, AdmissionPlugin } from '../../admission-plugin.ts';
import { ApiError } from '../../api-error.ts';
import type { ObjectSource } from '../../object-source.ts';
import type { Resource } from '../../resource.ts';
import { Expression, ExpressionError, type Inputs } from '../cel/expression.ts';
import { admissionDenial } from '../denial.ts';
import { isExempt } from '../matching.ts';
import type { BoundPolicies, Policy, PolicyBinding } from './bound-policy.ts';
import { inputsOf } from './inputs.ts';
import { PolicyConfigurationError, paramResource, paramsOf } from './params.ts';
import type { PolicySpec, Validation } from './policy.ts';
import { VariableValues } from './variables.ts';

export interface CompiledValidation {
  readonly validation: Validation;
  readonly expression: Expression;
  readonly message: Expression | undefined;
}

export function compileValidations(spec: PolicySpec, environment: Environment): readonly CompiledValidation[] {
  return (spec.validations ?? []).map((validation) => ({
    validation,
    expression: new Expression(validation.expression, environment, ['bool']),
    message:
      (validation.messageExpression ?? '') === ''
        ? undefined
        : new Expression(validation.messageExpression ?? '', environment, ['string']),
  }));
}

type Validating = Policy<readonly CompiledValidation[]>;

/** A failed validation of a write. */
interface Objection {
  readonly message: string;
  readonly reason: string;
}

/** Evaluates validating policies. The first failure whose binding has the action Deny rejects the write. */
export function validatingPolicyPlugin(
  policies: BoundPolicies<readonly CompiledValidation[]>,
  source: ObjectSource,
): AdmissionPlugin {
  type Matched = readonly [Validating, Resource];
  async function evaluate(matched: readonly Matched[], write: AdmissionAttributes): Promise<void> {
    for (const [policy, shownAs] of matched) await evaluatePolicy(policy, shownAs, write, source);
  }
  return {
    name: 'ValidatingAdmissionPolicy',
    validate(write) {
      if (policies.idle || isExempt(write)) return undefined;
      const matched = policies.all().flatMap((policy): Matched[] => {
        const shownAs = policy.match(write);
        return shownAs === undefined ? [] : [[policy, shownAs]];
      });
      // Most writes match no policy and so stay synchronous.
      return matched.length === 0 ? undefined : evaluate(matched, write);
    },
  };
}

async function evaluatePolicy(
  policy: Validating,
  shownAs: Resource,
  write: AdmissionAttributes,
  source: ObjectSource,
): Promise<void> {
  const inputs = await inputsOf(write, shownAs, write.object, source);
  const bound = policy.bindings.filter((binding) => binding.match(write) !== undefined);
  for (const binding of bound) {
    for (const objection of objections(policy, binding, inputs, write, source))
      raise(policy, binding, objection, write);
  }
}

function* objections(
  policy: Validating,
  binding: PolicyBinding,
  inputs: Inputs,
  write: AdmissionAttributes,
  source: ObjectSource,
): Generator<Objection & { readonly unbound?: true }> {
  const { spec } = policy;
  const ignored = spec.failurePolicy === 'Ignore';
  try {
    const resource = paramResource(spec, source);
    for (const params of paramsOf(resource, binding.spec.paramRef, write, source)) {
      yield* validate(policy, { ...inputs, params }, ignored);
    }
  } catch (error) {
    if (!(error instanceof PolicyConfigurationError)) throw error;
    const unbound = error.message.startsWith('failed to configure policy') ? { unbound: true as const } : {};
    if (!ignored) yield { message: error.message, reason: 'Invalid', ...unbound };
  }
}

function* validate(policy: Validating, given: Inputs, ignored: boolean): Generator<Objection> {
  const outcome = policy.conditions?.(given) ?? true;
  if (outcome === false) return;
  if (outcome !== true) {
    if (!ignored) yield { message: outcome.problem, reason: 'Invalid' };
    return;
  }
  const meter: CostTracker = { cost: 0 };
  const inputs = { ...given, variables: new VariableValues(policy.variables, given, meter) };
  for (const compiled of policy.content) {
    const { expression, validation } = compiled;
    try {
      if (expression.evaluate(inputs, meter) === true) continue;
      yield { message: messageOf(compiled, inputs, meter), reason: validation.reason ?? 'Invalid' };
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      if (!ignored) yield { message: error.message, reason: 'Invalid' };
      if (error.last) return;
    }
  }
}

const MAX_MESSAGE_LENGTH = 5 * 1024;

/** Returns the message of a failed validation. A messageExpression without a usable text is ignored. */
function messageOf({ validation, message }: CompiledValidation, inputs: Inputs, meter: CostTracker): string {
  const stated = (validation.message ?? '').trim() || `failed expression: ${validation.expression.trim()}`;
  if (message === undefined) return stated;
  try {
    const value = message.evaluate(inputs, meter);
    const text = typeof value === 'string' ? value.trim() : '';
    const usable = text !== '' && !text.includes('\n') && !exceedsBytes(text, MAX_MESSAGE_LENGTH);
    return usable ? text : stated;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return stated;
  }
}

const CODES: Readonly<Record<string, number>> = { Forbidden: 403, Invalid: 422, RequestEntityTooLarge: 413 };

/** Handles a failure by the actions of the binding: it denies, warns, or leaves it to the audit log. */
function raise(
  { name }: Validating,
  { name: binding, spec }: PolicyBinding,
  { message, reason, unbound }: Objection & { readonly unbound?: true },
  write: AdmissionAttributes,
): void {
  const actions = spec.validationActions ?? [];
  if (actions.includes('Warn')) {
    const who = `ValidatingAdmissionPolicy '${name}' with binding '${binding}'`;
    write.call.warnings.push(`Validation failed for ${who}: ${message}`);
  }
  if (unbound !== true && !actions.includes('Deny')) return;
  const who = `ValidatingAdmissionPolicy '${name}'${unbound === true ? '' : ` with binding '${binding}'`}`;
  const why = `${who} denied request: ${message}`;
  const rejected = admissionDenial(subject(write), why);
  throw new ApiError(CODES[reason] ?? 422, reason, rejected.message, {
    ...rejected.details,
    causes: [{ message: why }],
  });
}

/** Returns the subject for messages, which is the old object on a deletion. */
function subject(write: AdmissionAttributes): AdmissionAttributes {
  const named: KubeObject | undefined = write.object ?? write.old;
  return named === undefined ? write : { ...write, object: named };
}
