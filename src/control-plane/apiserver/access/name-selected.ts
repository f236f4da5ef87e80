import { parseFieldSelector } from '#platform/kube/selectors/field-selector';

/**
 * Returns the only name that the objects of a list or watch can have, because a user who may get an object by name may
 * also watch it by name. '' if there may be several.
 */
export function nameSelected(fieldSelector: string | null | undefined): string {
  if (fieldSelector === null || fieldSelector === undefined || !fieldSelector.includes('metadata.name')) return '';
  try {
    const name = parseFieldSelector(fieldSelector).exact('metadata.name') ?? '';
    return /^\.\.?$|[/%]/.test(name) ? '' : name;
  } catch {
    // An invalid selector is rejected where it is used.
    return '';
  }
}
