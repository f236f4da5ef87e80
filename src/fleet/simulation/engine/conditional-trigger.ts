import { parseDuration } from '#platform/base/duration';
import type { ConditionalEvent } from './scenario-spec.ts';
import { isAmong, measureOf, type ScenarioView } from './scenario-view.ts';

/** The whole cluster, where a condition is not about single nodes. */
const CLUSTER = '';

/** What one conditional event has seen and done so far. */
export class ConditionalTrigger {
  readonly event: ConditionalEvent;
  readonly #holdsFor: number;
  readonly #cooldown: number;
  /** Since when it holds without a break, for each node or the cluster. */
  #since = new Map<string, number>();
  #times = 0;
  #last: number | undefined;

  constructor(event: ConditionalEvent) {
    this.event = event;
    this.#holdsFor = parseDuration(event.when.for);
    this.#cooldown = parseDuration(event.cooldown);
  }

  /** How often it has happened, and when last. */
  get past(): { readonly times: number; readonly last: number | undefined } {
    return { times: this.#times, last: this.#last };
  }

  /** Looks at the world; where it is time to act, the node that it is about, or '' for the cluster. */
  look(time: number, seen: ScenarioView): string | undefined {
    const { maxTimes = Number.POSITIVE_INFINITY } = this.event;
    if (this.#times >= maxTimes) return undefined;
    const values = this.#values(seen).filter(([, value]) => this.#isBeyond(value));
    this.#since = new Map(values.map(([name]) => [name, this.#since.get(name) ?? time]));
    if (this.#last !== undefined && time - this.#last < this.#cooldown) return undefined;
    const ripe = values.filter(([name]) => time - (this.#since.get(name) ?? time) >= this.#holdsFor);
    const [worst] = ripe.toSorted(([, a], [, b]) => (this.event.when.operator === 'above' ? b - a : a - b));
    if (worst === undefined) return undefined;
    this.#times++;
    this.#last = time;
    return worst[0];
  }

  #isBeyond(value: number): boolean {
    const { operator, threshold } = this.event.when;
    return operator === 'above' ? value > threshold : value < threshold;
  }

  /** What is compared, by node; the mean of all for the cluster. */
  #values(seen: ScenarioView): readonly (readonly [name: string, value: number])[] {
    const { metric, scope, nodes: named = [] } = this.event.when;
    if (metric === 'pendingVMs') return [[CLUSTER, seen.pending()]];
    const nodes = seen.nodes().filter(({ name, up }) => up && (named.length === 0 || isAmong(name, named)));
    const values = nodes.map((node) => [node.name, measureOf(node, metric)] as const);
    if (scope === 'node' || values.length === 0) return values;
    return [[CLUSTER, values.reduce((sum, [, value]) => sum + value, 0) / values.length]];
  }
}
