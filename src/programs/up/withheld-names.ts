import type { Kind } from '#platform/schema/kind';

/** Returns an unselected kind without the short names and categories of the chosen ones, which they alone then mean. */
export function withoutNamesOf(chosen: readonly Kind[], kind: Kind): Kind {
  const shortNames = new Set(chosen.flatMap((each) => each.shortNames));
  const categories = new Set(chosen.flatMap((each) => each.categories));
  return {
    ...kind,
    shortNames: kind.shortNames.filter((name) => !shortNames.has(name)),
    categories: kind.categories.filter((name) => !categories.has(name)),
  };
}
