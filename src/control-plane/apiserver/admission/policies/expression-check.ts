import { type FieldError, index, invalid as invalidField } from '#platform/base/field-error';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Type } from '#platform/structural/cel/types';
import { formatType } from '#platform/structural/cel/types';
import type { AdmissionPlugin } from '../../admission-plugin.ts';
import { invalid } from '../../api-error.ts';
import { Expression, type MakeEnvironment } from '../cel/expression.ts';
import type { MatchCondition } from '../cel/match-conditions.ts';
import { ADMISSION_GROUP } from '../matching.ts';
import type { WebhookSpec } from '../webhooks/admission-webhook.ts';
import { MUTATIONS } from './messages.ts';
import { policySpec } from './policy.ts';
import { compileVariables } from './variables.ts';

/** An expression with its field and its expected type. */
interface Stated {
  readonly field: string;
  readonly source: string;
  readonly expression: Expression;
  readonly wanted?: string;
  readonly fits?: (type: Type) => boolean;
}

/**
 * Rejects policies and webhooks with invalid expressions. Expressions that an update leaves unchanged are not checked.
 */
export function expressionCheck(make: MakeEnvironment): AdmissionPlugin {
  return {
    name: 'ExpressionCheck',
    validate({ operation, resource, subresource, object, old, name }) {
      if (resource.group !== ADMISSION_GROUP || subresource !== '' || object === undefined) return;
      if (operation !== 'CREATE' && operation !== 'UPDATE') return;
      const before = new Set(old === undefined ? [] : expressionsIn(old, make).map(({ source }) => source));
      const causes = expressionsIn(object, make).flatMap((each) => (before.has(each.source) ? [] : problemsOf(each)));
      if (causes.length > 0) throw invalid(resource, name || object.metadata.name || '', causes);
    },
  };
}

function problemsOf({ field, source, expression, wanted: desired, fits }: Stated): FieldError[] {
  if (expression.problem !== undefined) return [invalidField(field, source, expression.problem)];
  const { type } = expression;
  if (type === undefined || fits === undefined || fits(type)) return [];
  return [invalidField(field, source, `must evaluate to ${desired} but got ${formatType(type)}`)];
}

function expressionsIn(object: KubeObject, make: MakeEnvironment): Stated[] {
  if (object.kind.endsWith('PolicyBinding')) return [];
  if (object.kind.endsWith('WebhookConfiguration')) {
    const hooks = (object['webhooks'] ?? []) as readonly WebhookSpec[];
    return hooks.flatMap(({ matchConditions = [] }, i) =>
      conditions(`${index('webhooks', i)}.matchConditions`, matchConditions, make, false),
    );
  }
  return policyExpressions(object, make);
}

function conditions(field: string, given: readonly MatchCondition[], make: MakeEnvironment, params: boolean): Stated[] {
  const environment = make({ params });
  return given.map(({ expression }, i) => ({
    field: `${index(field, i)}.expression`,
    source: expression,
    expression: new Expression(expression, environment),
    wanted: 'bool',
    fits: ({ kind }) => kind === 'bool',
  }));
}

function policyExpressions(object: KubeObject, make: MakeEnvironment): Stated[] {
  const spec = policySpec(object);
  const libraries = object.kind === 'MutatingAdmissionPolicy' ? [MUTATIONS] : [];
  const { variables, environment } = compileVariables(spec, make, libraries);
  const stated = (field: string, source: string, desired: string, fits: (type: Type) => boolean): Stated => ({
    field,
    source,
    expression: new Expression(source, environment),
    wanted: desired,
    fits,
  });
  const params = spec.paramKind !== undefined;
  return [
    ...variables.map(({ expression }, i) => ({
      field: `${index('spec.variables', i)}.expression`,
      source: expression.source,
      expression,
    })),
    ...(spec.validations ?? []).flatMap(({ expression, messageExpression = '' }, i) => {
      const at = index('spec.validations', i);
      return [
        stated(`${at}.expression`, expression, 'bool', ({ kind }) => kind === 'bool'),
        ...(messageExpression === ''
          ? []
          : [stated(`${at}.messageExpression`, messageExpression, 'string', ({ kind }) => kind === 'string')]),
      ];
    }),
    ...(spec.auditAnnotations ?? []).map(({ valueExpression }, i) =>
      stated(
        `${index('spec.auditAnnotations', i)}.valueExpression`,
        valueExpression,
        'one of [string null_type]',
        ({ kind }) => kind === 'string' || kind === 'null',
      ),
    ),
    ...(spec.mutations ?? []).flatMap(({ applyConfiguration, jsonPatch }, i) => {
      const at = index('spec.mutations', i);
      return [
        ...(applyConfiguration?.expression === undefined
          ? []
          : [
              stated(
                `${at}.applyConfiguration.expression`,
                applyConfiguration.expression,
                'Object',
                ({ name }) => name === 'Object',
              ),
            ]),
        ...(jsonPatch?.expression === undefined
          ? []
          : [stated(`${at}.jsonPatch.expression`, jsonPatch.expression, 'list(JSONPatch)', isPatchList)]),
      ];
    }),
    ...conditions('spec.matchConditions', spec.matchConditions ?? [], make, params),
  ];
}

function isPatchList({ kind, params: [item] }: Type): boolean {
  return kind === 'list' && item?.name === 'JSONPatch';
}
