/** Formats a time for messages: 2026-11-16T03:00Z, with seconds only if there are any. */
export function formatTime(ms: number): string {
  const text = new Date(ms).toISOString();
  return text.slice(17, 19) === '00' ? `${text.slice(0, 16)}Z` : `${text.slice(0, 19)}Z`;
}
