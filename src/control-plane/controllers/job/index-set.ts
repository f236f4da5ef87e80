/** Parses indexes such as `1,3-5,7`. Indexes outside of the completions are ignored. */
export function parseIndexes(text: string | undefined, completions: number): Set<number> {
  const indexes = new Set<number>();
  for (const part of (text ?? '').split(',')) {
    const match = /^([0-9]+)(?:-([0-9]+))?$/.exec(part.trim());
    if (match === null) continue;
    const [first, last] = [Number(match[1]), Number(match[2] ?? match[1])];
    for (let index = first; index <= Math.min(last, completions - 1); index++) indexes.add(index);
  }
  return indexes;
}

/** Formats indexes in ascending order. Three or more in a row become a range. */
export function formatIndexes(indexes: ReadonlySet<number>): string {
  const parts: string[] = [];
  const sorted = [...indexes].sort((a, b) => a - b);
  for (let at = 0; at < sorted.length; ) {
    const first = sorted[at] as number;
    let end = at;
    while (sorted[end + 1] === first + (end + 1 - at)) end++;
    const last = sorted[end] as number;
    if (last - first >= 2) parts.push(`${first}-${last}`);
    else for (let index = first; index <= last; index++) parts.push(String(index));
    at = end + 1;
  }
  return parts.join(',');
}
