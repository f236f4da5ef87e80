import { goJson } from '#platform/base/go-value';
import { isObject, type JsonObject, member } from '#platform/kube/patches/json-object';
import type { Json } from '#platform/schema/json-schema';
import { changedFields } from './changed-fields.ts';
import { difference, EMPTY, type FieldSet } from './field-set.ts';
import { ownedFields } from './owned-fields.ts';
import type { Type } from './type.ts';

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
const MAX_ANNOTATIONS_BYTES = 256 * 1024;

/** Manager whose objects may predate server-side apply, when an annotation held the applied configuration. */
export const KUBECTL = 'kubectl';

/**
 * Returns the fields that the annotation of a former kubectl apply claims and that the live object still has unchanged.
 */
export function lastAppliedFields(live: JsonObject, apiVersion: string, type: Type): FieldSet {
  const text = annotations(live)[ANNOTATION];
  if (typeof text !== 'string' || text === '') return EMPTY;
  let config: Json;
  try {
    config = JSON.parse(text) as Json;
  } catch {
    return EMPTY;
  }
  if (!isObject(config) || config['apiVersion'] !== apiVersion) return EMPTY;
  const { changed, removed } = changedFields(config, live, type);
  return difference(difference(ownedFields(config, type), changed), removed);
}

/** Keeps the annotation, if there is one, equal to what kubectl applies now. */
export function withLastApplied(object: JsonObject, config: JsonObject): JsonObject {
  const present = annotations(object);
  if (typeof present[ANNOTATION] !== 'string' || present[ANNOTATION] === '') return object;
  const { [ANNOTATION]: _, ...applied } = annotations(config);
  const metadata: Record<string, Json> = { ...metadataOf(config), annotations: applied };
  if (Object.keys(applied).length === 0) delete metadata['annotations'];
  const value = `${goJson({ ...config, metadata })}\n`;
  const next: Record<string, Json> = { ...present, [ANNOTATION]: value };
  if (bytes(next) > MAX_ANNOTATIONS_BYTES) delete next[ANNOTATION];
  return { ...object, metadata: { ...metadataOf(object), annotations: next } };
}

function bytes(all: JsonObject): number {
  const encoder = new TextEncoder();
  return Object.entries(all).reduce(
    (sum, [key, value]) =>
      sum + encoder.encode(key).length + encoder.encode(typeof value === 'string' ? value : '').length,
    0,
  );
}

function metadataOf(object: JsonObject): JsonObject {
  const metadata = member(object, 'metadata');
  return isObject(metadata) ? metadata : {};
}

function annotations(object: JsonObject): JsonObject {
  const all = member(metadataOf(object), 'annotations');
  return isObject(all) ? all : {};
}
