import type { KubeObject } from '#platform/kube/kube-object';
import { sameJson } from '#platform/kube/patches/json-object';
import type { Resource } from '../resource.ts';
import { fieldWriterFor } from './field-writer.ts';
import type { Target } from './target.ts';

/** Subresources that write both a part of their object and its metadata. */
const METADATA_TOO = new Set(['binding', 'approval', 'finalize']);

/** Reports whether a write also changes metadata; that of a custom object's status does not. */
export function writesMetadata({ resource, subresource }: Target): boolean {
  if (subresource === 'status') return !resource.custom;
  return fieldWriterFor(resource.group, resource.plural, subresource) === undefined || METADATA_TOO.has(subresource);
}

/**
 * Returns the sent object with the fields that no writer controls. Values from the stored object are shared with it, so
 * later changes must replace them rather than modify them.
 */
export function withServerFields({ resource, subresource }: Target, sent: KubeObject, old: KubeObject): KubeObject {
  const object = mergeStored(resource, subresource, sent, old);
  const kept = object.metadata;
  kept.uid = old.metadata.uid as string;
  kept.creationTimestamp = old.metadata.creationTimestamp as string;
  for (const field of ['generation', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if (old.metadata[field] === undefined) delete kept[field];
    else Object.assign(kept, { [field]: old.metadata[field] });
  }
  delete kept.selfLink;
  return object;
}

function mergeStored(resource: Resource, subresource: string, sent: KubeObject, old: KubeObject): KubeObject {
  const part = fieldWriterFor(resource.group, resource.plural, subresource);
  if (part !== undefined) {
    const object = { ...old, metadata: METADATA_TOO.has(subresource) ? sent.metadata : { ...old.metadata } };
    part(object, sent);
    return object;
  }
  if (subresource === 'status') return withSentStatus(resource, sent, old);
  if (!resource.strategy.status) return sent;
  if (old['status'] !== undefined) sent['status'] = old['status'];
  else delete sent['status'];
  return sent;
}

function withSentStatus(resource: Resource, sent: KubeObject, old: KubeObject): KubeObject {
  const metadata = resource.custom ? { ...old.metadata, ...pick(sent.metadata, 'managedFields') } : sent.metadata;
  if (sent['status'] !== undefined) return { ...old, metadata, status: sent['status'] };
  const { status: _gone, ...rest } = old;
  return { ...rest, metadata };
}

function pick<T extends object, K extends keyof T>(from: T, key: K): Partial<Pick<T, K>> {
  return from[key] === undefined ? {} : ({ [key]: from[key] } as Partial<Pick<T, K>>);
}

/** Prepares an object of which the content is written, directly or through a view. */
export function prepareContent({ strategy }: Resource, object: KubeObject, old: KubeObject): void {
  strategy.prepareUpdate?.(object, old);
  countGeneration(strategy, object, old);
}

/** Prepares an object of which a subresource writes a part. */
export function preparePart(
  { resource: { strategy }, subresource }: Target,
  object: KubeObject,
  old: KubeObject,
): void {
  if (subresource === 'status') strategy.prepareStatusUpdate?.(object, old);
  else if (strategy.parts?.has(subresource) === true) countGeneration(strategy, object, old);
}

function countGeneration({ generation }: Resource['strategy'], object: KubeObject, old: KubeObject): void {
  if (generation && contentDiffers(object, old)) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

function contentDiffers(object: KubeObject, old: KubeObject): boolean {
  const { metadata: _newMeta, status: _newStatus, ...content } = object;
  const { metadata: _oldMeta, status: _oldStatus, ...before } = old;
  return !sameJson(content as never, before as never);
}
