import { SIZE_ANNOTATION } from './launcher.ts';

/**
 * Size of the machine that a launcher pod is created for. A machine has the size of its pod, whatever its instance
 * requests by now: more would be capacity that the node has promised to others.
 */
export interface LauncherSize {
  readonly sockets: number;
  /** Memory as a quantity. */
  readonly memory: string;
}

export function formatLauncherSize({ sockets, memory }: LauncherSize): string {
  return JSON.stringify({ sockets, memory });
}

/** Parses the size in the annotations of a pod. Returns undefined if it is absent or malformed. */
export function parseLauncherSize(annotations: Readonly<Record<string, string>> | undefined): LauncherSize | undefined {
  const text = annotations?.[SIZE_ANNOTATION];
  if (text === undefined) return undefined;
  try {
    const { sockets, memory } = JSON.parse(text) as Partial<LauncherSize>;
    return Number.isSafeInteger(sockets) && typeof memory === 'string' ? { sockets: sockets ?? 1, memory } : undefined;
  } catch {
    return undefined;
  }
}
