import type { ApiRequest } from './api-request.ts';

/** Records the name of the object in a body, which may not be a valid object. */
export function noteObject({ notes }: ApiRequest, body: unknown): void {
  const { metadata } = (body ?? {}) as { readonly metadata?: unknown };
  if (notes === undefined || typeof metadata !== 'object' || metadata === null) return;
  const text = (field: string) => {
    const value = (metadata as Readonly<Record<string, unknown>>)[field];
    return typeof value === 'string' ? { [field]: value } : {};
  };
  notes.object = { ...text('namespace'), ...text('name'), ...text('uid'), ...text('resourceVersion') };
}
