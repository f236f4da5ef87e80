import { ParseError } from '#platform/base/errors';
import type { KubeObject } from '#platform/kube/kube-object';
import { parseFieldSelector } from '#platform/kube/selectors/field-selector';
import { parseLabelSelector } from '#platform/kube/selectors/label-selector';
import { badRequest } from '../api-error.ts';
import type { Resource } from '../resource.ts';

/** Selects the objects of a resource that a list, watch or deletion applies to. */
export interface Selection {
  /** Reports whether an object matches. Undefined if all match, so that nothing needs to be parsed. */
  readonly matches: ((object: KubeObject) => boolean) | undefined;
  /** The only name that can match, if the field selector requires one. */
  readonly name: string | undefined;
}

/** Reports whether the object of a key can match at all, which may be known before it is parsed. */
export function mayMatch({ name }: Selection, key: string): boolean {
  return name === undefined || key.endsWith(`/${name}`);
}

/** Parses the selectors. Throws a bad request in the server's wording if one is invalid. */
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
