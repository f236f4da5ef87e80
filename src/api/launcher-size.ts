import { SIZE_ANNOTATION } from './launcher.ts';

/**
 * What a launcher pod holds the place for. A machine is of the size of its pod, whatever its instance asks for by now:
 * more than its pod asked of the node would be what the node has promised to others.
 */
export interface LauncherSize {
  readonly sockets: number;
  /** A quantity. */
  readonly memory: string;
}

export function formatLauncherSize({ sockets, memory }: LauncherSize): string {
  return JSON.stringify({ sockets, memory });
}

/** The size that annotations of a pod tell; undefined where they tell none, or it cannot be read. */
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
