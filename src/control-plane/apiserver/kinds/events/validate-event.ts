import { append } from '#platform/base/append';
import { type FieldError, invalid, required } from '#platform/base/field-error';
import { exceedsBytes } from '#platform/base/utf8';
import type { KubeObject } from '#platform/kube/kube-object';
import { IMMUTABLE, same, validateLabelName, validateUnchanged } from '../field-checks.ts';
import { goStruct } from '../go-struct.ts';
import type { KindStrategy } from '../kind-strategy.ts';
import { coreEvent } from './event.ts';

interface Reference {
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  apiVersion?: string;
  resourceVersion?: string;
  fieldPath?: string;
}

interface CoreEvent {
  involvedObject?: Reference;
  eventTime?: string | null;
  reportingComponent?: string;
  reportingInstance?: string;
  action?: string;
  reason?: string;
  type?: string;
  message?: string;
  related?: Reference;
  series?: { count?: number; lastObservedTime?: string | null };
  source?: { component?: string; host?: string };
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  count?: number;
}

type Event = KubeObject & CoreEvent;

const MAX_WORD_LENGTH = 128;
const MAX_MESSAGE_LENGTH = 1024;

/**
 * Strategy for events of the core group. Those without eventTime are from old clients, and few checks apply to them.
 */
export const coreEvents: KindStrategy<CoreEvent> = {
  validate(object) {
    const event = object;
    const causes = validateNamespace(event);
    return isSet(event.eventTime) ? [...causes, ...validateFields(event, 'reportingComponent')] : causes;
  },
};

/** Strategy for events of events.k8s.io, which are validated under the field names of the core group. */
export const newerEvents: KindStrategy = {
  validate(object, old) {
    const event: Event = coreEvent(object);
    const causes = isSet(event.eventTime) ? [] : [required('eventTime')];
    if (old === undefined) {
      append(causes, validateFields(event, 'reportingController'), validateType(event), validateUnused(event));
      return causes;
    }
    return [...causes, ...validateFields(event, 'reportingController'), ...validateChange(event, coreEvent(old))];
  },
};

const isSet = (time: string | null | undefined): boolean => time !== undefined && time !== null;

function validateNamespace({ metadata, involvedObject = {} }: Event): FieldError[] {
  const { namespace = '' } = involvedObject;
  const [own, field] = [metadata.namespace ?? '', 'involvedObject.namespace'];
  if (namespace === own) return [];
  // Events of cluster-scoped objects are in the namespace default or kube-system.
  if (namespace === '' && (own === 'default' || own === 'kube-system')) return [];
  return [invalid(field, namespace, 'does not match event.namespace')];
}

function validateFields(event: Event, controllerField: string): FieldError[] {
  const { reportingComponent = '', reportingInstance = '', action = '', reason = '', message = '', series } = event;
  const causes = reportingComponent === '' ? [required(controllerField)] : [];
  append(causes, validateLabelName(controllerField, reportingComponent));
  for (const [field, value] of Object.entries({ reportingInstance, action, reason })) {
    if (value === '') causes.push(required(field));
    if (exceedsBytes(value, MAX_WORD_LENGTH)) {
      causes.push(invalid(field, '', `can have at most ${MAX_WORD_LENGTH} characters`));
    }
  }
  if (exceedsBytes(message, MAX_MESSAGE_LENGTH)) {
    causes.push(invalid('message', '', `can have at most ${MAX_MESSAGE_LENGTH} characters`));
  }
  if (series !== undefined && controllerField === 'reportingController') {
    if ((series.count ?? 0) < 2) causes.push(invalid('series.count', '', 'should be at least 2'));
    if (!isSet(series.lastObservedTime)) causes.push(required('series.lastObservedTime'));
  }
  return causes;
}

function validateType({ type = '' }: Event): FieldError[] {
  return type === 'Normal' || type === 'Warning' ? [] : [invalid('type', '', `has invalid value: ${type}`)];
}

/** Rejects fields that only old clients may use. */
function validateUnused({ firstTimestamp, lastTimestamp, count = 0, source = {} }: Event): FieldError[] {
  const used = {
    firstTimestamp: isSet(firstTimestamp),
    lastTimestamp: isSet(lastTimestamp),
    count: count !== 0,
    source: (source.component ?? '') !== '' || (source.host ?? '') !== '',
  };
  return Object.entries(used)
    .filter(([, given]) => given)
    .map(([field]) => invalid(field, '', 'needs to be unset'));
}

function validateChange(event: Event, old: Event): FieldError[] {
  const causes: FieldError[] = [];
  if (!same(event.involvedObject, old.involvedObject)) {
    causes.push(invalid('involvedObject', goReference(event.involvedObject), IMMUTABLE));
  }
  const fixed = (field: keyof CoreEvent, name: string = field) =>
    append(causes, validateUnchanged(name, event[field], old[field]));
  fixed('reason');
  fixed('message');
  for (const field of ['source', 'firstTimestamp', 'lastTimestamp', 'count'] as const) fixed(field);
  fixed('reason');
  fixed('type');
  fixed('eventTime');
  fixed('action');
  fixed('related');
  fixed('reportingComponent', 'reportingController');
  fixed('reportingInstance');
  return causes;
}

function goReference(reference: Reference = {}): unknown {
  const { kind = '', namespace = '', name = '', uid = '', apiVersion = '' } = reference;
  const { resourceVersion = '', fieldPath = '' } = reference;
  const shown = {
    Kind: kind,
    Namespace: namespace,
    Name: name,
    UID: uid,
    APIVersion: apiVersion,
    ResourceVersion: resourceVersion,
    FieldPath: fieldPath,
  };
  return goStruct(shown);
}
