let last = { second: 0, text: '1970-01-01T00:00:00Z' };

/** A moment as Kubernetes writes it: whole seconds, UTC. */
export function timestamp(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1000);
  // Nearly always asked for the second that it is.
  if (second !== last.second) last = { second, text: `${new Date(milliseconds).toISOString().slice(0, 19)}Z` };
  return last.text;
}

/** The same, rounded up: what waits for it never comes early. */
export function timestampNotBefore(milliseconds: number): string {
  return timestamp(Math.ceil(milliseconds / 1000) * 1000);
}

/** A moment as fields with microseconds have it: six decimals, UTC. */
export function microTimestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 23)}000Z`;
}
