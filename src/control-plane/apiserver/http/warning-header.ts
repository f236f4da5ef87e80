const MAX_CHARACTERS = 4096;
const MAX_PER_WARNING = 256;

/**
 * Warnings as clients print them, one after the other: each said once, all cut short where together they are long. The
 * bytes are those of UTF-8, which headers carry as if each were a character.
 */
export function warningHeader(warnings: readonly string[]): string {
  const texts = [...new Set(warnings)].map((text) => text.replaceAll(CONTROL, ' ').toWellFormed());
  const size = texts.reduce((sum, text) => sum + text.length, 0);
  const kept =
    size <= MAX_CHARACTERS ? texts : within(texts.map((text) => [...text].slice(0, MAX_PER_WARNING).join('')));
  const header = kept.map((text) => `299 - "${text.replaceAll(/["\\]/g, '\\$&')}"`).join(', ');
  return Buffer.from(header, 'utf8').toString('latin1');
}

// oxlint-disable-next-line no-control-regex -- these may not stand in a header
const CONTROL = /[\x00-\x1f\x7f]/g;

function within(texts: readonly string[]): string[] {
  const kept: string[] = [];
  let size = 0;
  for (const text of texts) {
    size += text.length;
    if (size > MAX_CHARACTERS) break;
    kept.push(text);
  }
  return kept;
}
