import type { ScenarioSpec } from './scenario-spec.ts';
import { isAmong, measureOf, type ScenarioView } from './scenario-view.ts';

/** Returns the current nodes of a hot spot: those that are named, or that a metric selects. */
export function hotNodes(
  { hotSpots = [] }: ScenarioSpec,
  name: string | undefined,
  seen: ScenarioView,
): readonly string[] {
  const spot = hotSpots.find((each) => each.name === name);
  if (spot === undefined) return [];
  const up = seen.nodes().filter((node) => node.up);
  if (spot.pick === undefined) return up.map((node) => node.name).filter((node) => isAmong(node, spot.nodes ?? []));
  const { metric, order, count } = spot.pick;
  return up
    .toSorted((a, b) =>
      order === 'highest' ? measureOf(b, metric) - measureOf(a, metric) : measureOf(a, metric) - measureOf(b, metric),
    )
    .slice(0, count)
    .map((node) => node.name);
}
