import type { KubeObject } from '#platform/kube/kube-object';
import type { LabelSelectorSpec } from '#platform/kube/selectors/label-selector';
import type { Environment } from '#platform/structural/cel/environment';
import type { ObjectSource } from '../../object-source.ts';
import { CONDITIONS_BUDGET } from '../cel/expression.ts';
import { type MatchCondition, type Matches, matchConditions } from '../cel/match-conditions.ts';
import { type Match, matcher, type ResourceRule } from '../matching.ts';
import type { StoredObjects } from '../stored-objects.ts';
import type { ClientConfig } from './client-config.ts';

/** One webhook of a configuration, as stored. */
export interface WebhookSpec {
  readonly name: string;
  readonly clientConfig: ClientConfig;
  readonly rules?: readonly ResourceRule[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelectorSpec;
  readonly objectSelector?: LabelSelectorSpec;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[];
  readonly matchConditions?: readonly MatchCondition[];
  readonly reinvocationPolicy?: string;
}

/** A webhook that is ready to be called. */
export interface AdmissionWebhook {
  readonly spec: WebhookSpec;
  /** Distinguishes it from webhooks of the same name in other configurations. */
  readonly id: string;
  readonly match: Match;
  readonly conditions: Matches | undefined;
}

/** Webhooks of all configurations in calling order. They are rebuilt when a configuration changes. */
export class AdmissionWebhooks {
  readonly #configurations: StoredObjects;
  readonly #source: ObjectSource;
  readonly #environment: () => Environment;
  /** Names of webhooks that are not called. */
  readonly #replaced: ReadonlySet<string>;
  #made: readonly AdmissionWebhook[] = [];
  #version = -1;

  constructor(
    configurations: StoredObjects,
    source: ObjectSource,
    environment: () => Environment,
    replaced: ReadonlySet<string>,
  ) {
    this.#configurations = configurations;
    this.#source = source;
    this.#environment = environment;
    this.#replaced = replaced;
  }

  get size(): number {
    return this.#configurations.size;
  }

  all(): readonly AdmissionWebhook[] {
    if (this.#version !== this.#configurations.version) {
      this.#version = this.#configurations.version;
      this.#made = [...this.#configurations].sort(byName).flatMap((object) => this.#hooksOf(object));
    }
    return this.#made;
  }

  #hooksOf(configuration: KubeObject): AdmissionWebhook[] {
    const specs = (configuration['webhooks'] ?? []) as readonly WebhookSpec[];
    return specs.flatMap((spec, i) => {
      if (this.#replaced.has(spec.name)) return [];
      const { rules = [], matchConditions: conditions = [], matchPolicy, namespaceSelector, objectSelector } = spec;
      return {
        spec,
        id: `${configuration.metadata.name}/${spec.name}/${i}`,
        match: matcher(
          {
            rules,
            ...(matchPolicy === undefined ? {} : { matchPolicy }),
            ...(namespaceSelector === undefined ? {} : { namespaceSelector }),
            ...(objectSelector === undefined ? {} : { objectSelector }),
          },
          this.#source,
        ),
        conditions:
          conditions.length === 0 ? undefined : matchConditions(conditions, this.#environment(), CONDITIONS_BUDGET),
      };
    });
  }
}

function byName({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  return (a.name ?? '') < (b.name ?? '') ? -1 : 1;
}
