import type { Node } from '#platform/kube/kinds/node';
import type { PodInfo } from '../pod/pod-info.ts';

/** A change that may make a pending pod schedulable. */
export type ClusterEvent =
  | { readonly what: 'node'; readonly before: Node | undefined; readonly after: Node | undefined }
  /** A pod was added to a node, removed from it, or changed there. */
  | {
      readonly what: 'placed pod';
      readonly before: PodInfo | undefined;
      readonly after: PodInfo | undefined;
      readonly slot: number;
    }
  /** Claims, volumes, storage classes or CSI drivers of nodes changed. */
  | { readonly what: 'storage' };
