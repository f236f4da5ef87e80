/** A shorter word says too little about what it is the beginning of. */
const MIN_BEGINNING = 3;

/** Returns the candidate that a word probably is a misspelling or the beginning of, or undefined if none is close. */
export function similarWord(word: string, candidates: readonly string[]): string | undefined {
  const typed = word.toLowerCase();
  const longer = candidates.filter((candidate) => candidate.toLowerCase().startsWith(typed));
  if (word.length >= MIN_BEGINNING && longer.length === 1) return longer[0];
  const max = Math.max(1, Math.floor(word.length / 3));
  const near = candidates
    .map((candidate) => ({ candidate, distance: editDistance(typed, candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= max)
    .toSorted((a, b) => a.distance - b.distance);
  return near[0]?.candidate;
}

/** Counts the letters to insert, delete, replace or swap with their neighbor to turn one word into the other. */
function editDistance(a: string, b: string): number {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : replaced;
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced, swapped));
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
