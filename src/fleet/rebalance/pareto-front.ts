import { type Load, METRICS } from './load.ts';

/** Maximum that crowding may add: less than the step between fronts, for up to ten fronts. */
const CROWDING = 0.1;

/**
 * Scores nodes by the fronts of NSGA-II, least loaded first, and slightly higher in crowded parts of a front. Equal
 * values count once, so that equal nodes score the same in any order.
 */
export function paretoFront(load: Load): Float64Array {
  const { front, count } = frontsOf(load);
  const crowding = crowdingOf(load, front, count);
  let max = 0;
  for (const each of crowding) if (Number.isFinite(each) && each > max) max = each;
  return crowding.map((crowd, node) => {
    const behind = count > 1 ? (front[node] as number) / (count - 1) : 0;
    const crowded = Number.isFinite(crowd) && max > 0 ? CROWDING * (1 - crowd / max) : 0;
    return Math.min(1, behind + crowded);
  });
}

/**
 * Computes the fronts. In ascending order no node precedes one that dominates it, so each is only compared with those
 * before it.
 */
function frontsOf(load: Load): { front: Int32Array; count: number } {
  const columns = METRICS.map((metric) => load[metric]);
  const order = Int32Array.from({ length: load.size }, (_, node) => node).sort((a, b) => ascending(columns, a, b));
  const front = new Int32Array(load.size);
  const members: number[][] = [];
  for (const node of order) {
    let at = 0;
    while (at < members.length && (members[at] as number[]).some((other) => dominates(columns, other, node))) at++;
    (members[at] ??= []).push(node);
    front[node] = at;
  }
  return { front, count: members.length };
}

function ascending(columns: readonly Float64Array[], a: number, b: number): number {
  for (const column of columns) {
    const difference = (column[a] as number) - (column[b] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Reports whether a is loaded less than b in one metric and more in none. */
function dominates(columns: readonly Float64Array[], a: number, b: number): boolean {
  let less = false;
  for (const column of columns) {
    const [mine, other] = [column[a] as number, column[b] as number];
    if (mine > other) return false;
    if (mine < other) less = true;
  }
  return less;
}

/**
 * Returns the distance between the neighbors of each node in its front over all metrics. It is infinite on the
 * boundary.
 */
function crowdingOf(load: Load, front: Int32Array, count: number): Float64Array {
  const crowding = new Float64Array(load.size);
  const members: number[][] = Array.from({ length: count }, () => []);
  front.forEach((at, node) => (members[at] as number[]).push(node));
  for (const nodes of members) {
    let differ = false;
    for (const metric of METRICS) differ = addGaps(load[metric], nodes, crowding) || differ;
    // If all nodes of a front are equal, they are its boundary.
    if (!differ) for (const node of nodes) crowding[node] = Number.POSITIVE_INFINITY;
  }
  return crowding;
}

/**
 * Adds the distance from the next lower to the next higher value, as a ratio of the span. Reports whether there is a
 * span.
 */
function addGaps(column: Float64Array, nodes: number[], crowding: Float64Array): boolean {
  nodes.sort((a, b) => (column[a] as number) - (column[b] as number));
  const valueAt = (place: number) => column[nodes[place] as number] as number;
  const last = nodes.length - 1;
  const span = valueAt(last) - valueAt(0);
  if (span === 0) return false;
  let below = Number.NEGATIVE_INFINITY;
  for (let start = 0; start <= last; ) {
    const value = valueAt(start);
    let end = start + 1;
    while (end <= last && valueAt(end) === value) end++;
    const above = end <= last ? valueAt(end) : Number.POSITIVE_INFINITY;
    for (let place = start; place < end; place++) {
      const node = nodes[place] as number;
      crowding[node] = (crowding[node] as number) + (above - below) / span;
    }
    below = value;
    start = end;
  }
  return true;
}
