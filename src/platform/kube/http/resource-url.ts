import type { ResourceType } from '../client.ts';

interface Place {
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** Returns the path of a resource, an object or a subresource. */
export function pathOf(
  type: ResourceType,
  { namespace, name, subresource }: Place,
  query: Readonly<Record<string, string>> = {},
): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const within =
    type.namespaced && namespace !== undefined && namespace !== ''
      ? `/namespaces/${encodeURIComponent(namespace)}`
      : '';
  const object = name === undefined || name === '' ? '' : `/${encodeURIComponent(name)}`;
  const part = subresource === undefined || subresource === '' ? '' : `/${subresource}`;
  const parameters = new URLSearchParams(query).toString();
  return `${root}${within}/${type.plural}${object}${part}${parameters === '' ? '' : `?${parameters}`}`;
}
