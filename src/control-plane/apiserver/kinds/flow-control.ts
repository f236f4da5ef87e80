import { append } from '#platform/base/append';
import { type FieldError, forbidden, index, invalid, required } from '#platform/base/field-error';
import { ownValue } from '#platform/base/own-value';
import { validateOneOf, validatePresent } from './field-checks.ts';
import { fill } from './fill.ts';
import type { KindStrategy } from './kind-strategy.ts';

interface ResourceRule {
  verbs?: string[] | null;
  apiGroups?: string[] | null;
  resources?: string[] | null;
  namespaces?: string[] | null;
  clusterScope?: boolean;
}

interface FlowSchema {
  spec?: {
    matchingPrecedence?: number;
    priorityLevelConfiguration?: { name?: string };
    distinguisherMethod?: { type?: string };
    rules?: {
      subjects?: { kind?: string; user?: unknown; group?: unknown; serviceAccount?: unknown }[] | null;
      resourceRules?: ResourceRule[];
      nonResourceRules?: unknown[];
    }[];
  };
}

const PRECEDENCE = 1000;
const MAX_PRECEDENCE = 10_000;
const SUBJECT_FIELDS: Readonly<Record<string, 'user' | 'group' | 'serviceAccount'>> = {
  User: 'user',
  Group: 'group',
  ServiceAccount: 'serviceAccount',
};

export const flowSchemas: KindStrategy<FlowSchema> = {
  defaults(object) {
    const spec = (object.spec ??= {});
    spec.matchingPrecedence ||= PRECEDENCE;
  },
  validate(object) {
    const { spec = {} } = object;
    const { matchingPrecedence = 0, distinguisherMethod, rules = [] } = spec;
    const at = 'spec.matchingPrecedence';
    const causes: FieldError[] = [];
    if (matchingPrecedence <= 0) causes.push(invalid(at, matchingPrecedence, 'must be a positive value'));
    if (matchingPrecedence > MAX_PRECEDENCE) {
      causes.push(invalid(at, matchingPrecedence, `must not be greater than ${MAX_PRECEDENCE}`));
    }
    if (matchingPrecedence === 1 && object.metadata.name !== 'exempt') {
      causes.push(invalid(at, 1, "only the schema named 'exempt' may have matchingPrecedence 1"));
    }
    if (distinguisherMethod !== undefined && !['ByNamespace', 'ByUser'].includes(distinguisherMethod.type ?? '')) {
      const value = { Type: distinguisherMethod.type ?? '' };
      const detail = 'supported values: "ByNamespace", "ByUser"';
      causes.push({ type: 'NotSupported', field: 'spec.distinguisherMethod.type', value, detail });
    }
    const name = spec.priorityLevelConfiguration?.name;
    append(causes, validatePresent('spec.priorityLevelConfiguration.name', name, 'must reference a priority level'));
    return [...causes, ...rules.flatMap((rule, i) => validateRule(index('spec.rules', i), rule))];
  },
};

function validateRule(
  field: string,
  rule: NonNullable<NonNullable<FlowSchema['spec']>['rules']>[number],
): FieldError[] {
  const { subjects, resourceRules = [], nonResourceRules = [] } = rule;
  const causes: FieldError[] = [];
  if ((subjects ?? []).length === 0) {
    causes.push(required(`${field}.subjects`, 'subjects must contain at least one value'));
  }
  for (const [i, subject] of (subjects ?? []).entries()) {
    const { kind = '' } = subject;
    const name = ownValue(SUBJECT_FIELDS, kind);
    const at = index(`${field}.subjects`, i);
    if (name === undefined) append(causes, validateOneOf(`${at}.kind`, kind, Object.keys(SUBJECT_FIELDS)));
    else if (subject[name] === undefined) {
      causes.push(required(`${at}.${name}`, `${name} is required when subject kind is '${kind}'`));
    }
  }
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    causes.push(required(field, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  }
  return [
    ...causes,
    ...resourceRules.flatMap((each, i) => validateResources(index(`${field}.resourceRules`, i), each)),
  ];
}

function validateResources(field: string, rule: ResourceRule): FieldError[] {
  const empty = (list: readonly string[] | null | undefined) => (list ?? []).length === 0;
  const causes: FieldError[] = [];
  if (empty(rule.verbs)) causes.push(required(`${field}.verbs`, 'verbs must contain at least one value'));
  if (empty(rule.apiGroups)) {
    causes.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'));
  }
  if (empty(rule.resources)) {
    causes.push(required(`${field}.resources`, 'resource rules must supply at least one resource'));
  }
  if (empty(rule.namespaces) && rule.clusterScope !== true) {
    const detail = 'resource rules that are not cluster scoped must supply at least one namespace';
    causes.push(required(`${field}.namespaces`, detail));
  }
  return causes;
}

interface Queuing {
  queues?: number;
  handSize?: number;
  queueLengthLimit?: number;
}

interface PriorityLevel {
  spec?: {
    type?: string;
    limited?: {
      nominalConcurrencyShares?: number;
      lendablePercent?: number;
      limitResponse?: { type?: string; queuing?: Queuing };
    };
    exempt?: { nominalConcurrencyShares?: number; lendablePercent?: number };
  };
}

export const priorityLevels: KindStrategy<PriorityLevel> = {
  defaults(object) {
    const { limited, exempt } = object.spec ?? {};
    if (exempt !== undefined) fill(exempt, { nominalConcurrencyShares: 0, lendablePercent: 0 });
    if (limited === undefined) return;
    fill(limited, { nominalConcurrencyShares: 30, lendablePercent: 0 });
    const queuing = limited.limitResponse?.queuing;
    if (queuing === undefined) return;
    queuing.queues ||= 64;
    queuing.handSize ||= 8;
    queuing.queueLengthLimit ||= 50;
  },
  validate(object) {
    const { type = '', limited, exempt } = object.spec ?? {};
    const causes: FieldError[] = [];
    if ((type === 'Exempt') !== (object.metadata.name === 'exempt') && (type === 'Exempt' || type === 'Limited')) {
      causes.push(invalid('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'"));
    }
    if (type === 'Exempt') {
      if (limited !== undefined) causes.push(forbidden('spec.limited', 'must be nil if the type is not Limited'));
    } else if (type === 'Limited') {
      if (exempt !== undefined) causes.push(forbidden('spec.exempt', 'must be nil if the type is Limited'));
      if (limited === undefined) causes.push(required('spec.limited', 'must not be empty when type is Limited'));
      else append(causes, validateLimited(limited));
    } else append(causes, validateOneOf('spec.type', type, ['Exempt', 'Limited']));
    return causes;
  },
};

function validateLimited(limited: NonNullable<NonNullable<PriorityLevel['spec']>['limited']>): FieldError[] {
  const { nominalConcurrencyShares: shares = 0, limitResponse = {} } = limited;
  const at = 'spec.limited';
  const causes =
    shares < 0 ? [invalid(`${at}.nominalConcurrencyShares`, shares, 'must be a non-negative integer')] : [];
  const { type = '', queuing } = limitResponse;
  if (type === 'Queue') {
    if (queuing === undefined) {
      causes.push(
        required(`${at}.limitResponse.queuing`, 'must not be empty if and only if the response type is Queue'),
      );
    } else append(causes, validateQueuing(`${at}.limitResponse.queuing`, queuing));
  } else if (type !== 'Reject') append(causes, validateOneOf(`${at}.limitResponse.type`, type, ['Queue', 'Reject']));
  return causes;
}

function validateQueuing(field: string, { queues = 0, handSize = 0, queueLengthLimit = 0 }: Queuing): FieldError[] {
  const causes: FieldError[] = [];
  if (queueLengthLimit <= 0) causes.push(invalid(`${field}.queueLengthLimit`, queueLengthLimit, 'must be positive'));
  if (queues <= 0) causes.push(invalid(`${field}.queues`, queues, 'must be positive'));
  if (handSize <= 0) causes.push(invalid(`${field}.handSize`, handSize, 'must be positive'));
  else if (handSize > queues) {
    causes.push(invalid(`${field}.handSize`, handSize, `should not be greater than queues (${queues})`));
  }
  return causes;
}
