import { LOAD_ANNOTATION } from './launcher.ts';

/** How much a node has, as quantities. */
export interface NodeSize {
  readonly cpu: string;
  readonly memory: string;
}

/** What a share of one node is a share of, where nodes are not alike or there are none. */
export const DEFAULT_NODE: NodeSize = { cpu: '32', memory: '128Gi' };

/**
 * What a simulated machine was last told to use, and the node that these are shares of. Only a change of it is carried to
 * the pod of a running machine, so that whoever annotates the pod is not overruled.
 */
export interface LauncherLoad {
  readonly cpu: string;
  readonly memory: string;
  readonly node: NodeSize;
}

export function formatLoad({ cpu, memory, node }: LauncherLoad): string {
  return JSON.stringify({ cpu, memory, node: { cpu: node.cpu, memory: node.memory } });
}

/** The load that annotations tell; undefined where they tell none, or it cannot be read. */
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
