import { binaryText, encodeUtf8 } from '#platform/base/bytes';

const MAX_CHARACTERS = 4096;
const MAX_PER_WARNING = 256;

/**
 * Formats warnings as clients print them: each once, all truncated if together they are long. Headers carry the UTF-8
 * bytes as if each were a character.
 */
export function warningHeader(warnings: readonly string[]): string {
  const texts = [...new Set(warnings)].map((text) => text.replaceAll(CONTROL, ' ').toWellFormed());
  const size = texts.reduce((sum, text) => sum + text.length, 0);
  const kept =
    size <= MAX_CHARACTERS ? texts : within(texts.map((text) => [...text].slice(0, MAX_PER_WARNING).join('')));
  const header = kept.map((text) => `299 - "${text.replaceAll(/["\\]/g, '\\$&')}"`).join(', ');
  return binaryText(encodeUtf8(header));
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
