let last = { second: 0, text: '1970-01-01T00:00:00Z' };

/** Formats a time as Kubernetes does: whole seconds, UTC. */
export function timestamp(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1000);
  // Most calls are for the current second.
  if (second !== last.second) last = { second, text: `${new Date(milliseconds).toISOString().slice(0, 19)}Z` };
  return last.text;
}

/** Formats a time rounded up to whole seconds, so that waiting for it never ends early. */
export function timestampNotBefore(milliseconds: number): string {
  return timestamp(Math.ceil(milliseconds / 1000) * 1000);
}

/** Formats a time for fields with microseconds: six decimals, UTC. */
export function microTimestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 23)}000Z`;
}
