import type { Kind } from '#platform/schema/kind';

/** A kind that was not chosen, without the short names and categories that a chosen one has: they mean that one alone. */
export function withoutNamesOf(chosen: readonly Kind[], kind: Kind): Kind {
  const shortNames = new Set(chosen.flatMap((each) => each.shortNames));
  const categories = new Set(chosen.flatMap((each) => each.categories));
  return {
    ...kind,
    shortNames: kind.shortNames.filter((name) => !shortNames.has(name)),
    categories: kind.categories.filter((name) => !categories.has(name)),
  };
}
