import { parseDuration } from '#platform/base/duration';
import type { ConditionalEvent } from './scenario-spec.ts';
import { isAmong, measureOf, type ScenarioView } from './scenario-view.ts';

/** Key of the whole cluster, for conditions that are not about single nodes. */
const CLUSTER = '';

/** State of one conditional event. */
export class ConditionalTrigger {
  readonly event: ConditionalEvent;
  readonly #holdsFor: number;
  readonly #cooldown: number;
  /** Time since which the condition has held without a break, by node or for the cluster. */
  #since = new Map<string, number>();
  #times = 0;
  #last: number | undefined;

  constructor(event: ConditionalEvent) {
    this.event = event;
    this.#holdsFor = parseDuration(event.when.for);
    this.#cooldown = parseDuration(event.cooldown);
  }

  /** Number of times it has triggered, and the last time. */
  get past(): { readonly times: number; readonly last: number | undefined } {
    return { times: this.#times, last: this.#last };
  }

  /** Evaluates the condition. When it triggers, returns the node that it is about, or '' for the cluster. */
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

  /** Returns the compared values by node, or the mean of all for the cluster. */
  #values(seen: ScenarioView): readonly (readonly [name: string, value: number])[] {
    const { metric, scope, nodes: named = [] } = this.event.when;
    if (metric === 'pendingVMs') return [[CLUSTER, seen.pending()]];
    const nodes = seen.nodes().filter(({ name, up }) => up && (named.length === 0 || isAmong(name, named)));
    const values = nodes.map((node) => [node.name, measureOf(node, metric)] as const);
    if (scope === 'node' || values.length === 0) return values;
    return [[CLUSTER, values.reduce((sum, [, value]) => sum + value, 0) / values.length]];
  }
}
