import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#platform/kube/patches/json-object';
import type { Json } from '#platform/schema/json-schema';
import { decodeBuiltIn } from '../builtin-schema/decode.ts';
import { schemaNameOf } from '../builtin-schema/kinds.ts';
import components from '../kubernetes/openapi-schemas.data.json' with { type: 'json' };
import answers from './apply.data.json' with { type: 'json' };
import { applyConfiguration } from './apply.ts';
import { ApplyConflictError } from './apply-error.ts';
import { liveEntries, type ManagedKind, updateManagedFields } from './managed-fields.ts';
import { builtInKind, customKind } from './managed-kinds.ts';
import type { ManagedFieldsEntry } from './managers.ts';
import { TypeSchemas, type TypeSource } from './type-schema.ts';

const types = new TypeSchemas(components);
const GROUP = 'fields.example.com';
const widgets = new Map(['v1', 'v2'].map((version) => [version, answers.widget as TypeSource]));

function managedKind(kind: string, subresource = '', apiVersion = 'v1'): ManagedKind {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const name = { group, version, kind, subresource, hasStatus: kind !== 'ConfigMap' };
  if (group === GROUP) return customKind(name, widgets, types);
  const empty = decodeBuiltIn(apiVersion, kind, {})?.object as JsonObject;
  return builtInKind(name, schemaNameOf(apiVersion, kind) as string, empty, types);
}

interface Step {
  readonly op: string;
  readonly manager: string;
  readonly sub?: string;
  readonly av: string;
  readonly force?: boolean;
  readonly time: string;
  /** Object as a write other than apply sends it; with `sent` together with the live managedFields. */
  readonly next?: JsonObject;
  readonly sent?: boolean;
  readonly config?: JsonObject;
  readonly merged?: JsonObject;
  readonly managedFields?: readonly ManagedFieldsEntry[];
  /** Object that was stored, if defaults and admission changed it. */
  readonly stored?: JsonObject;
  readonly message?: string;
}

function withFields(object: JsonObject, managedFields: readonly ManagedFieldsEntry[] | undefined): JsonObject {
  if (managedFields === undefined) return object;
  const metadata = object['metadata'] as JsonObject;
  return { ...object, metadata: { ...metadata, managedFields: managedFields as unknown as Json } };
}

/**
 * Returns comparable entries. Custom resources are printed with all members sorted, so that only built-in kinds have an
 * order to compare.
 */
function comparable(entries: readonly ManagedFieldsEntry[] | undefined, kind: string): unknown {
  if (kind === 'Widget') return entries;
  return entries?.map((entry) => ({ ...entry, fieldsV1: JSON.stringify(entry.fieldsV1) }));
}

describe('sequences of writes', () => {
  const sequences = answers.sequences as unknown as { kind: string; steps: Step[] }[];
  it.each(sequences.map(({ kind, steps }, i) => ({ kind, steps, i })))(
    'to $kind ($i) result in the objects and managedFields of Kubernetes',
    ({ kind, steps }) => {
      let live: JsonObject | undefined;
      for (const step of steps) {
        const { manager, time, force = false } = step;
        const write = { kind: managedKind(kind, step.sub, step.av), manager, time, force };
        const seen: JsonObject | undefined = live === undefined ? undefined : { ...live, apiVersion: step.av };
        const before = JSON.stringify(seen);
        let result: JsonObject;
        let managedFields: readonly ManagedFieldsEntry[] | undefined;
        if (step.config !== undefined) {
          if (step.message !== undefined) {
            expect(() => applyConfiguration(seen, step.config as JsonObject, write)).toThrow(step.message);
            continue;
          }
          ({ object: result, managedFields } = applyConfiguration(seen, step.config, write));
          expect(result).toStrictEqual(step.merged);
        } else {
          result = step.next as JsonObject;
          const sent = step.sent === true ? liveEntries(seen) : undefined;
          managedFields = updateManagedFields(seen, withFields(result, sent), write);
        }
        expect(comparable(managedFields, kind)).toStrictEqual(comparable(step.managedFields, kind));
        expect(JSON.stringify(seen)).toBe(before);
        live = withFields(step.stored ?? result, step.managedFields);
      }
    },
  );
});

const TIME = '2026-01-01T00:00:00Z';

function configMap(data: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', ...metadata }, data };
}

function apply(live: JsonObject | undefined, manager: string, config: JsonObject, force = false): JsonObject {
  const application = { kind: managedKind('ConfigMap'), manager, time: TIME, force };
  const { object, managedFields } = applyConfiguration(live, config, application);
  return withFields(object, managedFields);
}

function patch(live: JsonObject, manager: string, data: JsonObject): JsonObject {
  const next = { ...live, data: { ...(live['data'] as JsonObject), ...data } };
  return withFields(next, updateManagedFields(live, next, { kind: managedKind('ConfigMap'), manager, time: TIME }));
}

describe('applyConfiguration', () => {
  it('reports every field that other managers own, by manager', () => {
    const live = apply(apply(undefined, 'A', configMap({ a: '1', b: '2' })), 'B', configMap({ a: '1', c: '3' }));
    const edited = patch(live, 'editor', { d: '4' });
    let conflict: unknown;
    try {
      apply(edited, 'C', configMap({ a: '9', b: '9', d: '9' }));
    } catch (error) {
      conflict = error;
    }
    expect(conflict).toBeInstanceOf(ApplyConflictError);
    expect(conflict).toMatchObject({
      status: 409,
      reason: 'Conflict',
      message: [
        'Apply failed with 4 conflicts: conflicts with "A":',
        '- .data.a',
        '- .data.b',
        'conflicts with "B":',
        '- .data.a',
        'conflicts with "editor" using v1:',
        '- .data.d',
      ].join('\n'),
    });
    expect((conflict as ApplyConflictError).causes).toContainEqual({
      reason: 'FieldManagerConflict',
      message: 'conflict with "editor" using v1',
      field: '.data.d',
    });
  });

  it('reports appliers before updaters of the same name, and subresources first', () => {
    const entry = (operation: string, field: string, subresource?: string): Json => ({
      manager: 'A',
      operation,
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { [`f:${field}`]: {} } },
      ...(subresource === undefined ? {} : { subresource }),
    });
    const managedFields = [entry('Update', 'a'), entry('Update', 'b', 'status'), entry('Apply', 'c', 'status')];
    const live = configMap({ a: '1', b: '1', c: '1' }, { managedFields });
    expect(() => apply(live, 'C', configMap({ a: '2', b: '2', c: '2' }))).toThrow(
      [
        'Apply failed with 3 conflicts: conflicts with "A" with subresource "status":',
        '- .data.c',
        'conflicts with "A" with subresource "status" using v1:',
        '- .data.b',
        'conflicts with "A" using v1:',
        '- .data.a',
      ].join('\n'),
    );
  });

  it('reports a single conflict in one line', () => {
    const live = apply(undefined, 'A', configMap({ b: '2' }));
    expect(() => apply(live, 'C', configMap({ b: '3' }))).toThrow(
      'Apply failed with 1 conflict: conflict with "A": .data.b',
    );
  });

  it('takes ownership by force, and removes the former owner', () => {
    const live = apply(apply(undefined, 'A', configMap({ b: '2' })), 'C', configMap({ b: '3' }), true);
    expect(live).toMatchObject({ data: { b: '3' }, metadata: { managedFields: [{ manager: 'C' }] } });
    expect((live['metadata'] as { managedFields: Json[] }).managedFields).toHaveLength(1);
  });

  it('removes fields that the applier no longer sets, unless another manager owns them', () => {
    const shared = apply(apply(undefined, 'A', configMap({ a: '1', b: '2' })), 'B', configMap({ a: '1' }));
    expect(apply(shared, 'A', configMap({}))).toMatchObject({ data: { a: '1' } });
    expect((apply(shared, 'A', configMap({}))['data'] as JsonObject)['b']).toBeUndefined();
  });

  it('leaves the live object and its entries as they are when nothing changes', () => {
    const live = apply(undefined, 'A', configMap({ a: '1' }));
    const application = { kind: managedKind('ConfigMap'), manager: 'A', time: 'later', force: false };
    const again = applyConfiguration(live, configMap({ a: '1' }), application);
    expect(again.managedFields).toStrictEqual((live['metadata'] as JsonObject)['managedFields']);
    expect(again.object).toStrictEqual(configMap({ a: '1' }));
  });

  it('attributes all fields from before the first apply to one manager', () => {
    const live = configMap({ a: '1' }, { labels: { x: 'y' } });
    const { metadata } = apply(live, 'A', configMap({ a: '2', b: '1' }), true) as { metadata: JsonObject };
    expect(metadata['managedFields']).toMatchObject([
      { manager: 'A', operation: 'Apply', fieldsV1: { 'f:data': { 'f:a': {}, 'f:b': {} } } },
      { manager: 'before-first-apply', operation: 'Update', time: TIME },
    ]);
  });

  it.each<[JsonObject, number, string]>([
    [{ ...configMap({}), apiVersion: 'v2' }, 400, 'invalid object type: /v2, Kind=ConfigMap'],
    [{ ...configMap({}), kind: 'Secret' }, 400, 'invalid object type: /v1, Kind=Secret'],
    [configMap({}, { managedFields: [] }), 400, 'metadata.managedFields must be nil'],
    [configMap({ b: 2 }), 500, `${typed('/c')}: .data.b: expected string, got &value.valueUnstructured{Value:2}`],
    [
      { ...configMap({}), dat: {}, data: 'x', bin: {} },
      500,
      `${typed('/c')}: errors:\n  .data: expected map, got &{x}\n  .dat: field not declared in schema\n  .bin: field not declared in schema`,
    ],
    [{ ...configMap({}, { namespace: 'n' }), dat: {} }, 500, `${typed('n/c')}: .dat: field not declared in schema`],
    [{ ...configMap({}), data: 'x' }, 500, `${typed('/c')}: .data: expected map, got &{x}`],
    [
      configMap({}, { finalizers: ['a.b/c', 'a.b/c'] }),
      500,
      `${typed('/c')}: .metadata.finalizers: duplicate entries for key [="a.b/c"]`,
    ],
    [
      configMap({}, { ownerReferences: [{ uid: 'u' }, { uid: 'u' }] }),
      500,
      `${typed('/c')}: .metadata.ownerReferences: duplicate entries for key [uid="u"]`,
    ],
    [
      configMap({}, { finalizers: [{ a: 1 }] }),
      500,
      `${typed('/c')}: .metadata.finalizers: element 0: associative list without keys has an element that's a map type`,
    ],
    [
      configMap({}, { finalizers: 'x', labels: ['x'] }),
      500,
      `${typed('/c')}: errors:\n  .metadata.finalizers: expected list, got &{x}\n  .metadata.labels: expected map, got &{[x]}`,
    ],
  ])('rejects %j with the messages of Kubernetes', (config, status, message) => {
    expect(() => apply(undefined, 'A', config)).toThrow(expect.objectContaining({ status, message }));
  });
});

function typed(place: string): string {
  return `failed to create typed patch object (${place}; /v1, Kind=ConfigMap)`;
}

describe('kubectl apply', () => {
  const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
  const former = configMap({ a: '1', b: '2' });
  const annotated = configMap({ a: '1', b: '2' }, { annotations: { [ANNOTATION]: JSON.stringify(former) } });
  const kind = managedKind('ConfigMap');
  const live = withFields(
    annotated,
    updateManagedFields(undefined, annotated, { kind, manager: 'kubectl-client-side-apply', time: TIME }),
  );

  it('may change what client-side apply has set, and updates its annotation', () => {
    const { metadata } = apply(live, 'kubectl', configMap({ a: '9', b: '2' })) as { metadata: JsonObject };
    expect((metadata['annotations'] as JsonObject)[ANNOTATION]).toBe(
      '{"apiVersion":"v1","data":{"a":"9","b":"2"},"kind":"ConfigMap","metadata":{"name":"c"}}\n',
    );
  });

  it('may not change what another manager changed since', () => {
    expect(() => apply(patch(live, 'editor', { a: '5' }), 'kubectl', configMap({ a: '7', b: '3' }))).toThrow(
      'Apply failed with 1 conflict: conflict with "editor" using v1: .data.a',
    );
  });

  it('has no such permission under another manager name', () => {
    expect(() => apply(live, 'other', configMap({ a: '9' }))).toThrow(ApplyConflictError);
  });
});
