import type { Node } from '#platform/kube/kinds/node';
import type { PersistentVolume } from '#platform/kube/kinds/storage';
import { type Filter, filterStatus } from '../framework/filter.ts';
import { isBound } from '../volumes/pod-volume-claims.ts';

const name = 'VolumeZone';
const ELSEWHERE = filterStatus(name, 'node(s) had no available volume zone', false);

/** Labels for the location of a volume or node, each deprecated label with its replacement. */
const PLACES: readonly (readonly [string, string])[] = [
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['topology.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['topology.kubernetes.io/region', 'topology.kubernetes.io/region'],
];

/** Rejects nodes outside the zones of the pod's volumes. */
export const volumeZone: Filter = {
  name,
  prepare({ claims }, { storage, nodes }) {
    if (claims.length === 0) return undefined;
    const places: Place[] = [];
    for (const { key } of claims) {
      const claim = storage.claim(key);
      if (claim === undefined || !isBound(claim)) continue;
      const { volumeName = '' } = claim.spec;
      const volume = storage.volume(volumeName);
      if (volume === undefined)
        return { refusal: filterStatus(name, `persistentvolume "${volumeName}" not found`, false) };
      places.push(...placesOf(volume));
    }
    if (places.length === 0) return undefined;
    return {
      check(slot) {
        const node = nodes.nodeAt(slot);
        return node === undefined || isThere(node, places) ? undefined : ELSEWHERE;
      },
    };
  },
};

interface Place {
  readonly label: string;
  readonly newer: string;
  readonly values: ReadonlySet<string>;
}

function placesOf({ metadata: { labels = {} } }: PersistentVolume): readonly Place[] {
  return PLACES.flatMap(([label, newer]) => {
    const text = labels[label];
    // One label holds all zones of a volume.
    return text === undefined ? [] : [{ label, newer, values: new Set(text.split('__')) }];
  });
}

/** Reports whether a node is in these zones. A node without location labels accepts every volume. */
function isThere({ metadata: { labels = {} } }: Node, places: readonly Place[]): boolean {
  if (!PLACES.some(([label]) => labels[label] !== undefined)) return true;
  return places.every(({ label, newer, values }) => values.has(labels[label] ?? labels[newer] ?? ''));
}
