import { LOAD_ANNOTATION } from './launcher.ts';

/** Capacity of a node as quantities. */
export interface NodeSize {
  readonly cpu: string;
  readonly memory: string;
}

/** Node size that fractional VM sizes refer to where nodes differ or there are none. */
export const DEFAULT_NODE: NodeSize = { cpu: '32', memory: '128Gi' };

/**
 * Requested load of a simulated VM, and the node that its fractions refer to. Only a change of it is copied to the pod
 * of a running VM, so that annotations set on the pod are not overwritten.
 */
export interface LauncherLoad {
  readonly cpu: string;
  readonly memory: string;
  readonly node: NodeSize;
}

export function formatLoad({ cpu, memory, node }: LauncherLoad): string {
  return JSON.stringify({ cpu, memory, node: { cpu: node.cpu, memory: node.memory } });
}

/** Parses the load in annotations. Returns undefined if it is absent or malformed. */
export function parseLoad(annotations: Readonly<Record<string, string>> | undefined): LauncherLoad | undefined {
  const text = annotations?.[LOAD_ANNOTATION];
  if (text === undefined) return undefined;
  try {
    const { cpu, memory, node } = JSON.parse(text) as Partial<LauncherLoad>;
    const texts = [cpu, memory, node?.cpu, node?.memory];
    return texts.every((each) => typeof each === 'string') ? ({ cpu, memory, node } as LauncherLoad) : undefined;
  } catch {
    return undefined;
  }
}
