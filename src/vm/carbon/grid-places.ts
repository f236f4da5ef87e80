import type { PreferredNodes } from '#vm/engine/vm-dependencies';

export type Labels = Readonly<Record<string, string>>;

/** Label that names the grid zone of a node and takes precedence over all others. */
const GRID_ZONE_LABEL = 'vimana.io/grid-zone';
const TOPOLOGY_LABELS = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'] as const;
/** Labels in order of precedence. */
const LABELS: readonly string[] = [GRID_ZONE_LABEL, ...TOPOLOGY_LABELS];
/** Format of zones at providers: DE, SE-SE3, US-CAL-CISO. */
const GRID_ZONE = /^[A-Z]{2}(?:-[A-Z0-9]+)*$/;

/** Grid zone of a node, and the label that determines it. */
export interface GridPlace {
  readonly zone: string;
  readonly label: string;
  readonly value: string;
}

/** Grid zones by the zones and regions of a cluster: eu-north-1 is SE-SE3. */
export type ZoneMap = ReadonlyMap<string, string>;

/**
 * Returns the grid zone of a node from the label vimana.io/grid-zone, else from the map for its zone or region. Else it
 * is the zone or region itself, if that has the format of a grid zone.
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

/** Returns the places of many nodes, with each label value once. */
export function gridPlaces(nodes: Iterable<Labels>, map: ZoneMap): GridPlace[] {
  const found = new Map<string, GridPlace>();
  for (const labels of nodes) {
    const place = gridPlace(labels, map);
    if (place !== undefined) found.set(`${place.label}=${place.value}`, place);
  }
  return [...found.values()];
}

/** Weight of the cleanest other node, out of 100 for a node in the zone that a VM names. */
const GREENEST_ABROAD = 25;

/**
 * Prefers nodes of the zone that a VM names, `home`, and ranks the others by their intensity. Their weight is the
 * percentage of emissions that a zone saves compared to the dirtiest known one.
 */
export function preferredNodes(
  places: readonly GridPlace[],
  intensityOf: (zone: string) => number | undefined,
  home?: string,
): PreferredNodes {
  const known = places.map((place) => ({ place, intensity: intensityOf(place.zone) }));
  const max = Math.max(0, ...known.flatMap(({ intensity }) => intensity ?? []));
  const greenest = places.some(({ zone }) => zone === home) ? GREENEST_ABROAD : 100;
  const weights = new Map<string, { label: string; weight: number; values: string[] }>();
  for (const { place, intensity = max } of known) {
    const green = max === 0 ? 0 : Math.round((greenest * (max - intensity)) / max);
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

/** Excludes nodes that a label of higher precedence puts elsewhere. */
function unless(label: string, places: readonly GridPlace[]) {
  return LABELS.slice(0, LABELS.indexOf(label)).flatMap((key) => {
    const values = places.filter((place) => place.label === key).map(({ value }) => value);
    return values.length === 0 ? [] : [{ key, operator: 'NotIn' as const, values: values.toSorted() }];
  });
}
