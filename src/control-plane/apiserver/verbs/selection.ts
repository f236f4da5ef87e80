import { ParseError } from '#platform/base/errors';
import type { KubeObject } from '#platform/kube/kube-object';
import { parseFieldSelector } from '#platform/kube/selectors/field-selector';
import { parseLabelSelector } from '#platform/kube/selectors/label-selector';
import { badRequest } from '../api-error.ts';
import type { Resource } from '../resource.ts';

/** Which objects of a resource a list, watch or deletion is about. */
export interface Selection {
  /** Undefined where every object is meant, so that nothing needs to be parsed. */
  readonly matches: ((object: KubeObject) => boolean) | undefined;
  /** The one name that can match, if the fields say so. */
  readonly name: string | undefined;
}

/** Whether what is under a key can match at all, which may show before it is parsed. */
export function mayMatch({ name }: Selection, key: string): boolean {
  return name === undefined || key.endsWith(`/${name}`);
}

/** Throws a bad request in the server's words where a selector cannot be understood. */
export function parseSelection(resource: Resource, labelSelector = '', fieldSelector = ''): Selection {
  try {
    const labels = labelSelector === '' ? undefined : parseLabelSelector(labelSelector);
    const fields = fieldSelector === '' ? undefined : parseFieldSelector(fieldSelector);
    const byFields = fields?.on(resource.selectable);
    if (labels === undefined && byFields === undefined) return { matches: undefined, name: undefined };
    return {
      name: fields?.exact('metadata.name'),
      matches: (object) =>
        (labels === undefined || labels.matches(object.metadata.labels)) &&
        (byFields === undefined || byFields(object)),
    };
  } catch (error) {
    if (error instanceof ParseError) throw badRequest(error.message);
    throw error;
  }
}
