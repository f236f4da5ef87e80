/** Text that differs between runs, and its normalized form. */
const ALIKE: readonly (readonly [RegExp, string])[] = [
  [/\b(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+(?:\.\d+)?(?:ms|s))\b/g, 'TIME'],
  [/\bkwok-node-\d+\b/g, 'NODE'],
  [/\b(virt-launcher-[a-z0-9-]+)-[a-z0-9]{5}\b/g, '$1-SUFFIX'],
  [/\b10\.\d+\.\d+\.\d+\b/g, 'ADDRESS'],
  [/\b(?:127\.0\.0\.1|localhost):\d+\b/g, 'HOST'],
];

const plain = (line: string) =>
  ALIKE.reduce((text, [from, to]) => text.replace(from, to), line)
    .trim()
    .replaceAll(/\s+/g, ' ');

/**
 * Reports whether an output matches what a guide shows. Spaces, times, nodes, suffixes and addresses may differ. `…`
 * matches anything in a line, and on its own line any lines.
 */
export function isAlike(shown: string, printed: string): boolean {
  const lines = (text: string) =>
    text
      .split('\n')
      .map(plain)
      .filter((line) => line !== '');
  const pattern = lines(shown).map((line) =>
    line === '…' ? '(?:.*\n)*?' : `${line.split('…').map(escaped).join('.*')}\n`,
  );
  return new RegExp(`^${pattern.join('')}$`).test(
    lines(printed)
      .map((line) => `${line}\n`)
      .join(''),
  );
}

const escaped = (text: string) => RegExp.escape(text);
