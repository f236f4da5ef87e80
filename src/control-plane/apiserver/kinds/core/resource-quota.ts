import { append } from '#platform/base/append';
import { type FieldError, invalid, key, required } from '#platform/base/field-error';
import { formatQuantity, tryParseQuantity } from '#platform/base/quantity';
import { validateUnchanged } from '../field-checks.ts';
import type { KindStrategy } from '../kind-strategy.ts';
import { COUNTED, isHugePages, LIMITED, validateResourceName } from '../pod/validate-resources.ts';

interface ScopeRequirement {
  scopeName?: string;
  operator?: string;
  values?: string[];
}

interface ResourceQuota {
  spec?: {
    hard?: Record<string, string>;
    scopes?: string[];
    scopeSelector?: { matchExpressions?: ScopeRequirement[] };
  };
}

const COMPUTE = new Set([
  'pods',
  'cpu',
  'memory',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
  'requests.ephemeral-storage',
  'limits.ephemeral-storage',
  'ephemeral-storage',
]);
const SCOPES = new Set([
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
]);
const OPPOSITES = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];

export const resourceQuotas: KindStrategy<ResourceQuota> = {
  validate(object, old) {
    const { spec = {} } = object;
    const causes = [
      ...validateAmounts('spec.hard', spec.hard ?? {}),
      ...validateScopes(spec.scopes ?? [], spec.hard ?? {}),
    ];
    append(causes, (spec.scopeSelector?.matchExpressions ?? []).flatMap(validateRequirement));
    const before = old;
    if (before !== undefined) {
      append(
        causes,
        validateUnchanged('spec.scopes', [...(spec.scopes ?? [])].sort(), [...(before.spec?.scopes ?? [])].sort()),
      );
    }
    return causes;
  },
};

/** Reports whether a resource is an extended one, which has integer amounts only. */
function isExtended(name: string): boolean {
  return name.includes('/') && !name.startsWith('requests.') && !name.includes('kubernetes.io/');
}

function validateAmounts(field: string, amounts: Readonly<Record<string, string>>): FieldError[] {
  return Object.entries(amounts).flatMap(([name, text]) => {
    const at = key(field, name);
    const causes = validateResourceName(at, name);
    if (!name.includes('/') && !LIMITED.has(name) && !isHugePages(name) && !name.includes('.hugepages-')) {
      causes.push(invalid(at, name, 'must be a standard resource for quota'));
    }
    const amount = tryParseQuantity(text);
    if (amount === undefined) return causes;
    if (amount.nano < 0n) causes.push(invalid(at, text, 'must be greater than or equal to 0'));
    if ((COUNTED.has(name) || isExtended(name)) && amount.nano % 1_000_000_000n !== 0n) {
      causes.push(invalid(at, formatQuantity(amount), 'must be an integer'));
    }
    return causes;
  });
}

/** Reports whether a quota with a scope can limit a resource. */
function canLimit(scope: string, name: string): boolean {
  if (scope === 'BestEffort') return name === 'pods';
  if (scope === 'VolumeAttributesClass') return name === 'persistentvolumeclaims' || name === 'requests.storage';
  return COMPUTE.has(name);
}

function validateScopes(scopes: readonly string[], hard: Readonly<Record<string, string>>): FieldError[] {
  const causes: FieldError[] = [];
  for (const scope of scopes) {
    if (!SCOPES.has(scope)) causes.push(invalid('spec.scopes', scopes, 'unsupported scope'));
    for (const name of Object.keys(hard)) {
      if (SCOPES.has(scope) && LIMITED.has(name) && !canLimit(scope, name)) {
        causes.push(invalid('spec.scopes', scopes, 'unsupported scope applied to resource'));
      }
    }
  }
  for (const pair of OPPOSITES) {
    if (pair.every((scope) => scopes.includes(scope))) {
      causes.push(invalid('spec.scopes', scopes, 'conflicting scopes'));
    }
  }
  return causes;
}

const VALUED = new Set(['PriorityClass', 'VolumeAttributesClass']);
const ONLY_EXISTS =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function validateRequirement({ scopeName = '', operator = '', values = [] }: ScopeRequirement): FieldError[] {
  const field = 'spec.scopeSelector.matchExpressions';
  const causes: FieldError[] = [];
  if (!SCOPES.has(scopeName)) causes.push(invalid(`${field}.scopeName`, scopeName, 'unsupported scope'));
  else if (!VALUED.has(scopeName) && operator !== 'Exists') {
    causes.push(invalid(`${field}.operator`, operator, ONLY_EXISTS));
  }
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) {
      const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
      causes.push(required(`${field}.values`, detail));
    }
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
      causes.push(invalid(`${field}.values`, values, detail));
    }
  } else causes.push(invalid(`${field}.operator`, operator, 'not a valid selector operator'));
  return causes;
}
