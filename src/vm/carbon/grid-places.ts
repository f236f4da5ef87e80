import type { PreferredNodes } from '#vm/engine/vm-dependencies';

export type Labels = Readonly<Record<string, string>>;

/** Names the grid zone of a node itself, before all else. */
const GRID_ZONE_LABEL = 'vimana.io/grid-zone';
const TOPOLOGY_LABELS = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'] as const;
/** In the order in which they count. */
const LABELS: readonly string[] = [GRID_ZONE_LABEL, ...TOPOLOGY_LABELS];
/** How providers write a zone: DE, SE-SE3, US-CAL-CISO. */
const GRID_ZONE = /^[A-Z]{2}(?:-[A-Z0-9]+)*$/;

/** Where on the grid a node is, and the label that says so. */
export interface GridPlace {
  readonly zone: string;
  readonly label: string;
  readonly value: string;
}

/** Grid zones by the zones and regions of a cluster: eu-north-1 is SE-SE3. */
export type ZoneMap = ReadonlyMap<string, string>;

/**
 * The grid zone of a node: as the label vimana.io/grid-zone has it, else the one that the map gives for its zone or
 * region, else its zone or region itself where that is written as grid zones are.
 */
export function gridPlace(labels: Labels, map: ZoneMap): GridPlace | undefined {
  const own = labels[GRID_ZONE_LABEL];
  if (own !== undefined && own !== '') return { zone: own, label: GRID_ZONE_LABEL, value: own };
  for (const label of TOPOLOGY_LABELS) {
    const value = labels[label];
    const zone = value === undefined ? undefined : (map.get(value) ?? (GRID_ZONE.test(value) ? value : undefined));
    if (value !== undefined && zone !== undefined) return { zone, label, value };
  }
  return undefined;
}

/** The places of many nodes, each label value once. */
export function gridPlaces(nodes: Iterable<Labels>, map: ZoneMap): GridPlace[] {
  const found = new Map<string, GridPlace>();
  for (const labels of nodes) {
    const place = gridPlace(labels, map);
    if (place !== undefined) found.set(`${place.label}=${place.value}`, place);
  }
  return [...found.values()];
}

/** Of 100: what the cleanest of all other nodes counts beside one in the zone that a machine names. */
const GREENEST_ABROAD = 25;

/**
 * Prefers nodes of the zone that a machine names, `home`, before all others, and those by how clean their electricity
 * is: the weight is the percentage of emissions that a zone saves against the dirtiest one that is known.
 */
export function preferredNodes(
  places: readonly GridPlace[],
  intensityOf: (zone: string) => number | undefined,
  home?: string,
): PreferredNodes {
  const known = places.map((place) => ({ place, intensity: intensityOf(place.zone) }));
  const most = Math.max(0, ...known.flatMap(({ intensity }) => intensity ?? []));
  const greenest = places.some(({ zone }) => zone === home) ? GREENEST_ABROAD : 100;
  const weights = new Map<string, { label: string; weight: number; values: string[] }>();
  for (const { place, intensity = most } of known) {
    const green = most === 0 ? 0 : Math.round((greenest * (most - intensity)) / most);
    const weight = place.zone === home ? 100 : green;
    if (weight === 0) continue;
    const term = weights.get(`${place.label} ${weight}`) ?? { label: place.label, weight, values: [] };
    term.values.push(place.value);
    weights.set(`${place.label} ${weight}`, term);
  }
  return [...weights.values()]
    .toSorted((a, b) => b.weight - a.weight || (a.label < b.label ? -1 : 1))
    .map(({ label, weight, values }) => ({
      weight,
      preference: {
        matchExpressions: [
          { key: label, operator: 'In' as const, values: values.toSorted() },
          ...unless(label, places),
        ],
      },
    }));
}

/** Nodes that another label puts elsewhere before this one is looked at. */
function unless(label: string, places: readonly GridPlace[]) {
  return LABELS.slice(0, LABELS.indexOf(label)).flatMap((key) => {
    const values = places.filter((place) => place.label === key).map(({ value }) => value);
    return values.length === 0 ? [] : [{ key, operator: 'NotIn' as const, values: values.toSorted() }];
  });
}
