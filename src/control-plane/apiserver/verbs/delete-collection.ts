import { ApiError } from '../api-error.ts';
import type { Backend } from '../backend.ts';
import type { RequestContext } from '../request-context.ts';
import type { Resource } from '../resource.ts';
import { checkDeleteOptions, type DeleteOptions, deleteObject } from './delete.ts';
import { type Listing, type ListOptions, listObjects } from './list.ts';

/** Handles DELETE of a collection: deletes every object that matches the selectors, and returns the deleted ones. */
export async function deleteCollection(
  backend: Backend,
  resource: Resource,
  namespace: string,
  selection: ListOptions,
  options: DeleteOptions,
  call: RequestContext,
): Promise<Listing> {
  checkDeleteOptions(options);
  const listing = await listObjects(backend, resource, namespace, selection);
  for (const entry of listing.entries) {
    const { metadata } = backend.parsed.get(entry);
    const target = { resource, namespace: metadata.namespace ?? '', name: metadata.name ?? '', subresource: '' };
    try {
      await deleteObject(backend, target, options, call, { unnamed: true });
    } catch (error) {
      // Another client deleted it first, which is the requested result.
      if (!(error instanceof ApiError && error.code === 404)) throw error;
    }
  }
  return listing;
}
