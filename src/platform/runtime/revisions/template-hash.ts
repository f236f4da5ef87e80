const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** Returns the hash that names a template. `collisions` changes it if the name is taken. */
export function templateHash(template: unknown, collisions = 0): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(`${formatSorted(template)}${collisions === 0 ? '' : collisions}`)) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return [...String(hash)].map((digit) => ALPHABET[digit.charCodeAt(0) % ALPHABET.length]).join('');
}

/** Formats JSON with sorted fields, so that equal templates always have the same name. */
function formatSorted(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
