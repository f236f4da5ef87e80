import type { Node } from '#platform/kube/kinds/node';
import type { PodInfo } from '../pod/pod-info.ts';

/** Something happened that may let a waiting pod be placed. */
export type ClusterEvent =
  | { readonly what: 'node'; readonly before: Node | undefined; readonly after: Node | undefined }
  /** A pod came to a node, left it, or changed there. */
  | {
      readonly what: 'placed pod';
      readonly before: PodInfo | undefined;
      readonly after: PodInfo | undefined;
      readonly slot: number;
    }
  /** Claims, volumes, classes, drivers of nodes. */
  | { readonly what: 'storage' };
