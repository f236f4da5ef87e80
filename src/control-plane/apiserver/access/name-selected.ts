import { parseFieldSelector } from '#platform/kube/selectors/field-selector';

/**
 * The one name that the objects of a list or watch can have: whoever may read an object by its name may also
 * follow it by its name. '' where there may be several.
 */
export function nameSelected(fieldSelector: string | null | undefined): string {
  if (fieldSelector === null || fieldSelector === undefined || !fieldSelector.includes('metadata.name')) return '';
  try {
    const name = parseFieldSelector(fieldSelector).exact('metadata.name') ?? '';
    return /^\.\.?$|[/%]/.test(name) ? '' : name;
  } catch {
    // Refused where it is read in earnest.
    return '';
  }
}
