const MAX_LENGTH = 256;
/** Control characters, and those that change the direction of text or are invisible. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Returns a text of a guest in a form that is safe to store and to print. Anything else than text becomes empty. */
export function agentText(value: unknown, maxLength = MAX_LENGTH): string {
  if (typeof value !== 'string') return '';
  return value.slice(0, maxLength).toWellFormed().replace(UNSAFE, '');
}
