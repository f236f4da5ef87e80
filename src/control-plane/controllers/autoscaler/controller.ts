import { jsonEqual } from '#platform/base/json-equal';
import { parseQuantity, toNumber } from '#platform/base/quantity';
import { timestamp } from '#platform/base/timestamp';
import { HORIZONTAL_POD_AUTOSCALERS, type HorizontalPodAutoscaler } from '#platform/kube/kinds/autoscaling';
import { type KubeCondition, withCondition } from '#platform/kube/kinds/condition';
import { PODS } from '#platform/kube/kinds/pod';
import { type LabelSelector, parseLabelSelector } from '#platform/kube/selectors/label-selector';
import { MetricsReader } from '#platform/runtime/autoscaling/metrics-reader';
import type { Tolerances } from '#platform/runtime/autoscaling/replica-count';
import { limitScale, remember, type ScaleHistory } from '#platform/runtime/autoscaling/scale-history';
import type { Context, Controller } from '#platform/runtime/controller';
import type { DiscoveryCache } from '#platform/runtime/discovery-cache';
import { keyOf } from '#platform/runtime/key';
import { writeStatus } from '#platform/runtime/status';
import { evaluateMetric, MetricError, type MetricProposal, type ScaleFacts } from './metric.ts';
import { type Scale, ScaleTarget } from './scale-target.ts';

/** Time between two looks at the metrics of an autoscaler, as kube-controller-manager has by default. */
const PERIOD_MS = 15_000;
const DEFAULT_TOLERANCE = 0.1;
const UNABLE = "the HPA controller was unable to get the target's current scale";

interface Known {
  readonly at: number;
  readonly spec: HorizontalPodAutoscaler['spec'];
  history: ScaleHistory;
  /** Pods of the target, by which two autoscalers of the same pods are detected. */
  selector?: LabelSelector;
}

/** Scales the targets of HorizontalPodAutoscalers by their metrics. */
export function autoscalerController(catalog: DiscoveryCache): Controller<HorizontalPodAutoscaler> {
  const known = new Map<string, Known>();
  return {
    name: 'horizontal pod autoscaler',
    for: HORIZONTAL_POD_AUTOSCALERS,
    reads: [PODS],
    async reconcile(autoscaler, context) {
      const key = keyOf(autoscaler);
      const before = known.get(key);
      const now = context.clock.now();
      // The status that a run writes is no reason for another.
      if (before !== undefined && before.at + PERIOD_MS > now && jsonEqual(before.spec, autoscaler.spec)) {
        return { requeueAfterMs: before.at + PERIOD_MS - now };
      }
      await catalog.ready;
      const state = { ...before, at: now, spec: autoscaler.spec, history: before?.history ?? EMPTY };
      known.set(key, state);
      await new AutoscalerRun(autoscaler, context, catalog, state, known).run();
      return { requeueAfterMs: PERIOD_MS };
    },
    forget: (key) => void known.delete(key),
  };
}

const EMPTY: ScaleHistory = { recommendations: [], changes: [] };

/** Stops a run: the condition reports why. */
class RunError extends Error {
  readonly condition: KubeCondition;
  readonly event: string;
  constructor(condition: KubeCondition, message: string, event = condition.reason ?? '') {
    super(message);
    this.condition = condition;
    this.event = event;
  }
}

/** One look at the metrics of one autoscaler. */
class AutoscalerRun {
  readonly #autoscaler: HorizontalPodAutoscaler;
  readonly #context: Context;
  readonly #catalog: DiscoveryCache;
  readonly #state: Known;
  readonly #all: ReadonlyMap<string, Known>;
  readonly #now: number;
  #conditions: readonly KubeCondition[];
  #current = 0;
  #metrics: readonly object[] | null = null;

  constructor(
    autoscaler: HorizontalPodAutoscaler,
    context: Context,
    catalog: DiscoveryCache,
    state: Known,
    all: ReadonlyMap<string, Known>,
  ) {
    this.#autoscaler = autoscaler;
    this.#context = context;
    this.#catalog = catalog;
    this.#state = state;
    this.#all = all;
    this.#now = context.clock.now();
    this.#conditions = autoscaler.status?.conditions ?? [];
    this.#current = autoscaler.status?.currentReplicas ?? 0;
  }

  async run(): Promise<void> {
    const { status } = this.#autoscaler;
    try {
      const { desired, isScaled } = await this.#scale();
      const lastScaleTime = isScaled ? timestamp(this.#now) : status?.lastScaleTime;
      await this.#write(desired, lastScaleTime);
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      this.#set(error.condition);
      this.#event('Warning', error.event, error.message);
      await this.#write(status?.desiredReplicas ?? 0, status?.lastScaleTime);
    }
  }

  async #scale(): Promise<{ readonly desired: number; readonly isScaled: boolean }> {
    const { target, scale } = await this.#readScale();
    const current = scale.spec?.replicas ?? 0;
    this.#current = current;
    this.#set({
      type: 'AbleToScale',
      status: 'True',
      reason: 'SucceededGetScale',
      message: "the HPA controller was able to get the target's current scale",
    });
    if (this.#state.history.recommendations.length === 0) this.#remember({ recommendation: current });
    if (current === 0) {
      const message = 'scaling is disabled since the replica count of the target is zero';
      this.#set({ type: 'ScalingActive', status: 'False', reason: 'ScalingDisabled', message });
      return { desired: 0, isScaled: false };
    }
    const { replicas, reason } = await this.#desired(scale, current);
    if (replicas === current) return { desired: current, isScaled: false };
    await this.#rescale(target, scale, replicas, reason);
    return { desired: replicas, isScaled: true };
  }

  async #readScale(): Promise<{ readonly target: ScaleTarget; readonly scale: Scale }> {
    const { metadata, spec } = this.#autoscaler;
    try {
      const { client } = this.#context;
      const target = new ScaleTarget(client, this.#catalog, metadata.namespace ?? '', spec.scaleTargetRef);
      return { target, scale: await target.read() };
    } catch (error) {
      const { message } = error as Error;
      const condition = { type: 'AbleToScale', status: 'False' as const, reason: 'FailedGetScale' };
      throw new RunError({ ...condition, message: `${UNABLE}: ${message}` }, message);
    }
  }

  /** Returns the number of replicas to have, and why. */
  async #desired(scale: Scale, current: number): Promise<{ readonly replicas: number; readonly reason: string }> {
    const { minReplicas: min = 1, maxReplicas: max } = this.#autoscaler.spec;
    if (current > max) return { replicas: max, reason: 'Current number of replicas above Spec.MaxReplicas' };
    if (current < min) return { replicas: min, reason: 'Current number of replicas below Spec.MinReplicas' };
    const best = await this.#recommend(scale, current);
    const limited = limitScale(
      this.#autoscaler.spec.behavior,
      best.replicas,
      { current, min, max },
      this.#state.history,
      this.#now,
    );
    this.#remember({ recommendation: best.replicas });
    this.#set({ type: 'AbleToScale', status: 'True', ...limited.able });
    const { isLimited, ...why } = limited.limited;
    this.#set({ type: 'ScalingLimited', status: isLimited ? 'True' : 'False', ...why });
    const reason = best.replicas > current ? `${best.name} above target` : 'All metrics below target';
    return { replicas: limited.replicas, reason: best.replicas === current ? '' : reason };
  }

  /** Returns the highest number of replicas that a metric proposes. */
  async #recommend(scale: Scale, current: number): Promise<MetricProposal> {
    const { metadata, spec } = this.#autoscaler;
    const facts = this.#factsOf(scale, current);
    const reader = new MetricsReader(this.#context.client, this.#catalog, metadata.namespace ?? '');
    const { metrics = [] } = spec;
    const results = await Promise.all(
      metrics.map((metric) => evaluateMetric(metric, facts, reader).catch((error: unknown) => error)),
    );
    const failures = results.filter((result) => result instanceof MetricError);
    const proposals = results.filter((result) => !(result instanceof Error)) as MetricProposal[];
    this.#metrics = results.map((result) =>
      result instanceof Error ? { type: '' } : (result as MetricProposal).status,
    );
    for (const { reason, detail } of failures) this.#event('Warning', reason, detail);
    const best = proposals.toSorted((a, b) => b.replicas - a.replicas)[0];
    const [first] = failures;
    // A metric that cannot be read might need more replicas, so the others cannot reduce them.
    if (best === undefined || (first !== undefined && best.replicas < current)) {
      const message = `invalid metrics (${failures.length} invalid out of ${metrics.length}), first error is: ${first?.message}`;
      const condition = { type: 'ScalingActive', status: 'False' as const, reason: first?.reason ?? '' };
      const told = `the HPA was unable to compute the replica count: ${first?.detail}`;
      throw new RunError({ ...condition, message: told }, message, 'FailedComputeMetricsReplicas');
    }
    const message = `the HPA was able to successfully calculate a replica count from ${best.name}`;
    this.#set({ type: 'ScalingActive', status: 'True', reason: 'ValidMetricFound', message });
    return best;
  }

  #factsOf(scale: Scale, specReplicas: number): ScaleFacts {
    const { namespace = '' } = this.#autoscaler.metadata;
    const { selector = '', replicas: statusReplicas = 0 } = scale.status ?? {};
    if (selector === '') {
      const condition = { type: 'ScalingActive', status: 'False' as const, reason: 'InvalidSelector' };
      const message = "the HPA target's scale is missing a selector";
      throw new RunError({ ...condition, message }, 'selector is required', 'SelectorRequired');
    }
    const parsed = parseLabelSelector(selector);
    this.#state.selector = parsed;
    const pods = [...this.#context.cache(PODS).inNamespace(namespace)].filter(({ metadata }) =>
      parsed.matches(metadata.labels),
    );
    const rivals = [...this.#all]
      .filter(([key]) => key.startsWith(`${namespace}/`))
      .filter(([, { selector: other }]) => pods.some(({ metadata }) => other?.matches(metadata.labels) === true));
    if (rivals.length > 1) {
      const names = rivals.map(([key]) => `{${key.slice(namespace.length + 1)} ${namespace}}`).sort();
      const message = `pods by selector ${selector} are controlled by multiple HPAs: [${names.join(' ')}]`;
      throw new RunError({ type: 'ScalingActive', status: 'False', reason: 'AmbiguousSelector', message }, message);
    }
    const tolerances = tolerancesOf(this.#autoscaler);
    return { specReplicas, statusReplicas, pods, selector, tolerances, now: this.#now };
  }

  async #rescale(target: ScaleTarget, scale: Scale, replicas: number, reason: string): Promise<void> {
    try {
      await target.write(scale, replicas);
    } catch (error) {
      const { message } = error as Error;
      const why = `the HPA controller was unable to update the target scale: ${message}`;
      const condition = { type: 'AbleToScale', status: 'False' as const, reason: 'FailedUpdateScale', message: why };
      throw new RunError(condition, `New size: ${replicas}; reason: ${reason}; error: ${message}`, 'FailedRescale');
    }
    this.#set({
      type: 'AbleToScale',
      status: 'True',
      reason: 'SucceededRescale',
      message: `the HPA controller was able to update the target scale to ${replicas}`,
    });
    this.#event('Normal', 'SuccessfulRescale', `New size: ${replicas}; reason: ${reason}`);
    this.#remember({ change: replicas - this.#current });
  }

  async #write(desiredReplicas: number, lastScaleTime: string | undefined): Promise<void> {
    await writeStatus(this.#context.client, HORIZONTAL_POD_AUTOSCALERS, this.#autoscaler, {
      ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
      ...(this.#current === 0 ? {} : { currentReplicas: this.#current }),
      desiredReplicas,
      currentMetrics: this.#metrics,
      conditions: this.#conditions,
    });
  }

  #set(condition: KubeCondition): void {
    this.#conditions = withCondition(this.#conditions, condition, timestamp(this.#now));
  }

  #remember(entry: { readonly recommendation?: number; readonly change?: number }): void {
    this.#state.history = remember(this.#state.history, entry, this.#now);
  }

  #event(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#context.events.event(this.#autoscaler, type, reason, message);
  }
}

function tolerancesOf({ spec }: HorizontalPodAutoscaler): Tolerances {
  const of = (tolerance: string | number | undefined) =>
    tolerance === undefined ? DEFAULT_TOLERANCE : toNumber(parseQuantity(tolerance));
  return { up: of(spec.behavior?.scaleUp?.tolerance), down: of(spec.behavior?.scaleDown?.tolerance) };
}
