/** Returns Go's error for text that is not base64, undefined for valid text. Line breaks are allowed anywhere. */
export function base64Problem(text: string): string | undefined {
  const place = firstBad(text);
  return place === undefined ? undefined : `illegal base64 data at input byte ${place}`;
}

function firstBad(text: string): number | undefined {
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? '';
    if (char === '\r' || char === '\n') continue;
    if (char === '=') return paddingProblem(text, i, digits % 4);
    if (!/[A-Za-z0-9+/]/.test(char)) return i;
    digits++;
  }
  // Go reports an incomplete group at its beginning.
  return digits % 4 === 0 ? undefined : text.replaceAll(/[\r\n]/g, '').length - (digits % 4);
}

/** Validates padding, which ends the text and fills its group to four. */
function paddingProblem(text: string, at: number, inGroup: number): number | undefined {
  if (inGroup < 2) return at;
  let left = 4 - inGroup - 1;
  for (let i = at + 1; i < text.length; i++) {
    const char = text[i];
    if (char === '\r' || char === '\n') continue;
    if (char !== '=' || left === 0) return i;
    left--;
  }
  return left === 0 ? undefined : text.length;
}
