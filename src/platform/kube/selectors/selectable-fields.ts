import { ParseError } from '#platform/base/errors';
import { goQuote } from '#platform/base/go-value';

/** Reads a field of an object as the text that a field selector compares. An absent field reads as ''. */
export type ReadField = (object: object) => string;

/** Fields of one resource that a field selector may name. */
export interface SelectableFields {
  readonly names: readonly string[];
  /**
   * Returns the reader of a field. Throws a ParseError with the API server's message if the resource has no such field.
   */
  read(field: string): ReadField;
}

type Refuse = (field: string) => string;

const onlyMeta: Refuse = (field) =>
  `${goQuote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
const notSupported: Refuse = (field) => `field label not supported: ${field}`;

function selectable(readers: Readonly<Record<string, ReadField>>, refuse: Refuse = notSupported): SelectableFields {
  const byName = new Map(Object.entries(readers));
  return {
    names: [...byName.keys()],
    read(field) {
      const reader = byName.get(field);
      if (reader === undefined) throw new ParseError(refuse(field));
      return reader;
    },
  };
}

/** Creates a reader for a path such as `spec.nodeName`. An absent field reads as `absent`. */
function at(path: string, absent = ''): ReadField {
  const keys = path.split('.');
  return (object) => {
    let value: unknown = object;
    for (const key of keys) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return absent;
      value = (value as Readonly<Record<string, unknown>>)[key];
    }
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? `${value}` : absent;
  };
}

/** Creates a reader that returns the first non-empty result of several readers. */
function firstOf(...readers: readonly ReadField[]): ReadField {
  return (object) => {
    for (const read of readers) {
      const text = read(object);
      if (text !== '') return text;
    }
    return '';
  };
}

const paths = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, at(name)]));

const name = paths('metadata.name');
const meta = paths('metadata.name', 'metadata.namespace');
const DEFAULT = selectable(meta, onlyMeta);
const replicas = selectable({ ...meta, 'status.replicas': at('status.replicas', '0') });

const REFERENCE = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];
const reporter = firstOf(at('reportingComponent'), at('reportingController'));

/** Returns the fields of an Event. An Event has two shapes, one per API group, and both are read. */
function eventFields(reference: string, own: Readonly<Record<string, ReadField>>): SelectableFields {
  const about = REFERENCE.map((field) => [
    `${reference}.${field}`,
    firstOf(at(`involvedObject.${field}`), at(`regarding.${field}`)),
  ]);
  return selectable({ ...meta, ...Object.fromEntries(about), ...paths('reason', 'type'), ...own });
}

const pods = selectable({
  ...meta,
  ...paths('spec.nodeName', 'spec.restartPolicy', 'spec.schedulerName', 'spec.serviceAccountName'),
  'spec.host': at('spec.nodeName'),
  'spec.hostNetwork': at('spec.hostNetwork', 'false'),
  ...paths('status.phase', 'status.nominatedNodeName'),
  'status.podIP': firstOf(at('status.podIP'), at('status.podIPs.0.ip')),
  // The API server accepts this field but never reads it.
  'status.podIPs': () => '',
});

const BUILT_IN: Readonly<Record<string, SelectableFields>> = {
  'v1/pods': pods,
  'v1/events': eventFields('involvedObject', {
    reportingComponent: reporter,
    source: firstOf(at('source.component'), at('deprecatedSource.component'), reporter),
  }),
  'events.k8s.io/v1/events': eventFields('regarding', { reportingController: reporter }),
  'v1/namespaces': selectable({ ...name, ...paths('status.phase') }),
  'v1/nodes': selectable({ ...name, 'spec.unschedulable': at('spec.unschedulable', 'false') }),
  'v1/replicationcontrollers': replicas,
  'v1/secrets': selectable({ ...meta, ...paths('type') }),
  'v1/services': selectable({ ...meta, ...paths('spec.clusterIP', 'spec.type') }),
  'batch/v1/jobs': selectable(
    { ...meta, 'status.successful': at('status.succeeded', '0') },
    (field) => `field label ${goQuote(field)} not supported for Job`,
  ),
  'certificates.k8s.io/v1/certificatesigningrequests': selectable({ ...name, ...paths('spec.signerName') }),
  'resource.k8s.io/v1/resourceslices': selectable(
    { ...name, ...paths('spec.nodeName', 'spec.driver') },
    (field) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
  ),
};

/** Returns the fields of a built-in resource, named as `v1/pods` or `apps/v1/deployments`. */
export function builtInFields(resource: string): SelectableFields {
  return (Object.hasOwn(BUILT_IN, resource) ? BUILT_IN[resource] : undefined) ?? DEFAULT;
}

/**
 * Returns the fields of a custom resource: name, namespace and the JSON paths of `spec.versions[].selectableFields`.
 */
export function customFields(jsonPaths: readonly string[] = []): SelectableFields {
  return selectable({ ...meta, ...paths(...jsonPaths.map((path) => path.replace(/^\./, ''))) });
}
