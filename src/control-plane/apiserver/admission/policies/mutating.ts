import { jsonEqual } from '#platform/base/json-equal';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Environment } from '#platform/structural/cel/environment';
import type { CostTracker } from '#platform/structural/cel/program';
import { EvaluationError, List } from '#platform/structural/cel/values';
import type { AdmissionAttributes, ObjectKind } from '../../admission-plugin.ts';
import { ApiError } from '../../api-error.ts';
import type { ObjectSource } from '../../object-source.ts';
import type { Resource } from '../../resource.ts';
import { Expression, ExpressionError, type Inputs } from '../cel/expression.ts';
import { admissionDenial } from '../denial.ts';
import { isExempt } from '../matching.ts';
import { redecode } from '../redecode.ts';
import type { Mutator, ReinvocationContext } from '../reinvocation.ts';
import { fromVersion } from '../versions.ts';
import { applyWebhookPatch, WebhookPatchError } from '../webhooks/patch.ts';
import { ApplyConfigurationError, withConfiguration } from './apply-configuration.ts';
import type { BoundPolicies, Policy, PolicyBinding } from './bound-policy.ts';
import { inputsOf } from './inputs.ts';
import { jsonOf } from './messages.ts';
import { PolicyConfigurationError, paramResource, paramsOf } from './params.ts';
import type { PolicySpec } from './policy.ts';
import { VariableValues } from './variables.ts';

export interface CompiledMutation {
  readonly patchType: string;
  readonly expression: Expression;
}

export function compileMutations(spec: PolicySpec, environment: Environment): readonly CompiledMutation[] {
  return (spec.mutations ?? []).map(({ patchType, applyConfiguration, jsonPatch }) => ({
    patchType,
    expression: new Expression((applyConfiguration ?? jsonPatch)?.expression ?? '', environment, ['object', 'list']),
  }));
}

type Mutating = Policy<readonly CompiledMutation[]>;

/** Applies mutating policies one after another, each to the result of the ones before it. */
export function mutatingPolicyPlugin(
  policies: BoundPolicies<readonly CompiledMutation[]>,
  source: ObjectSource,
): Mutator {
  return {
    get idle() {
      return policies.idle;
    },
    async mutate(write, given, turns) {
      if (isExempt(write) || write.operation === 'DELETE') return given;
      let object = given;
      for (const policy of policies.all()) object = await applyPolicy(policy, write, object, turns, source);
      return object;
    },
  };
}

async function applyPolicy(
  policy: Mutating,
  write: AdmissionAttributes,
  given: KubeObject,
  turns: ReinvocationContext,
  source: ObjectSource,
): Promise<KubeObject> {
  const requested = { ...write, object: given };
  const shownAs = policy.match(requested);
  if (shownAs === undefined) return given;
  const bound = policy.bindings.filter((binding) => binding.match(requested) !== undefined);
  let object = given;
  for (const binding of bound) {
    const id = `${policy.name}/${binding.name}`;
    if (!turns.isOn(id)) continue;
    const next = await applyBinding(policy, binding, write, object, shownAs, source);
    turns.took(id, policy.spec.reinvocationPolicy === 'IfNeeded', next !== object);
    object = next;
  }
  return object;
}

/** Reports whether an error is subject to the failure policy. */
function isProblem(error: unknown): error is Error {
  return (
    error instanceof ExpressionError ||
    error instanceof EvaluationError ||
    error instanceof PolicyConfigurationError ||
    error instanceof ApplyConfigurationError ||
    error instanceof WebhookPatchError
  );
}

async function applyBinding(
  policy: Mutating,
  binding: PolicyBinding,
  write: AdmissionAttributes,
  object: KubeObject,
  shownAs: Resource,
  source: ObjectSource,
): Promise<KubeObject> {
  const inputs = await inputsOf(write, shownAs, object, source);
  let shown = inputs.object ?? object;
  try {
    const resource = paramResource(policy.spec, source);
    for (const params of paramsOf(resource, binding.spec.paramRef, write, source)) {
      shown = applyMutations(policy, { ...inputs, params }, shown, shownAs, write.kind);
    }
  } catch (error) {
    if (!isProblem(error)) throw error;
    if (policy.spec.failurePolicy === 'Ignore') return object;
    throw mutationDenial(policy, binding, write, object, error.message);
  }
  if (shown === inputs.object) return object;
  const next = await fromVersion(write, shown, shownAs);
  return jsonEqual(next, object) ? object : next;
}

function applyMutations(
  policy: Mutating,
  inputs: Inputs,
  given: KubeObject,
  shownAs: Resource,
  kind: ObjectKind | undefined,
): KubeObject {
  const outcome = policy.conditions?.({ ...inputs, object: given }) ?? true;
  if (outcome === false) return given;
  if (outcome !== true) throw new ExpressionError(outcome.problem);
  const meter: CostTracker = { cost: 0 };
  let object = given;
  for (const mutation of policy.content) {
    const seen = { ...inputs, object };
    const variables = new VariableValues(policy.variables, seen, meter);
    object = change(mutation, { ...seen, variables }, meter, object, shownAs, kind);
  }
  return object;
}

function change(
  { patchType, expression }: CompiledMutation,
  inputs: Inputs,
  meter: CostTracker,
  object: KubeObject,
  shownAs: Resource,
  kind: ObjectKind | undefined,
): KubeObject {
  const value = expression.evaluate(inputs, meter);
  if (patchType === 'ApplyConfiguration') {
    const described = kind === undefined ? shownAs : { ...shownAs, ...kind, custom: false };
    return redecode(shownAs, withConfiguration(described, object, jsonOf(value, 'Object')), kind);
  }
  if (!(value instanceof List)) throw new ApplyConfigurationError('the patch is no list');
  try {
    return value.size === 0
      ? object
      : redecode(shownAs, applyWebhookPatch(object, jsonOf(value) as readonly unknown[]), kind);
  } catch (error) {
    if (!(error instanceof WebhookPatchError)) throw error;
    // A failed `test` operation is how a patch skips an object.
    if (error.test) return object;
    throw new ApplyConfigurationError(`JSON Patch: ${error.message}`);
  }
}

function mutationDenial(
  policy: Mutating,
  binding: PolicyBinding,
  write: AdmissionAttributes,
  object: KubeObject,
  message: string,
): ApiError {
  const why = `policy '${policy.name}' with binding '${binding.name}' denied request: ${message}`;
  const { details } = admissionDenial({ ...write, object }, why);
  return new ApiError(403, 'Invalid', why, { ...details, causes: [{ message: why }] });
}
