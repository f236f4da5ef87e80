import type { KubeObject } from '#platform/kube/kube-object';

/** Fields of both kinds of events that have different names. */
const NAMES: readonly (readonly [core: string, newer: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

function renameFields(object: KubeObject, apiVersion: string, names: ReadonlyMap<string, string>): KubeObject {
  const result: KubeObject = { kind: 'Event', apiVersion, metadata: object.metadata };
  for (const [field, value] of Object.entries(object)) {
    if (field === 'kind' || field === 'apiVersion' || field === 'metadata') continue;
    result[names.get(field) ?? field] = value;
  }
  return result;
}

const toNewer = new Map(NAMES);
const toCore = new Map(NAMES.map(([core, newer]) => [newer, core]));

/** Converts a stored event, which is of the core group, to events.k8s.io. */
export function newerEvent(object: KubeObject): KubeObject {
  const event = renameFields(object, 'events.k8s.io/v1', toNewer);
  // Only the older kind writes these fields when they are empty.
  for (const field of ['reportingController', 'reportingInstance']) if (event[field] === '') delete event[field];
  return event;
}

/** Converts an event of events.k8s.io to its stored form. */
export function coreEvent(object: KubeObject): KubeObject {
  const event = renameFields(object, 'v1', toCore);
  for (const field of ['reportingComponent', 'reportingInstance']) event[field] ??= '';
  return event;
}
