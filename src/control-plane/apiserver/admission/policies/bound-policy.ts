import type { KubeObject } from '#platform/kube/kube-object';
import type { Environment } from '#platform/structural/cel/environment';
import type { Library } from '#platform/structural/cel/library';
import type { ObjectSource } from '../../object-source.ts';
import type { MakeEnvironment } from '../cel/expression.ts';
import { type Matches, matchConditions } from '../cel/match-conditions.ts';
import { type Match, matcher } from '../matching.ts';
import type { StoredObjects } from '../stored-objects.ts';
import { type BindingSpec, bindingSpec, matchSpec, type PolicySpec, policySpec } from './policy.ts';
import { compileVariables, type Variable } from './variables.ts';

/** A policy that is ready to be evaluated, with its compiled content. */
export interface Policy<T> {
  readonly name: string;
  readonly spec: PolicySpec;
  readonly match: Match;
  readonly conditions: Matches | undefined;
  readonly variables: readonly Variable[];
  readonly content: T;
  readonly bindings: readonly PolicyBinding[];
}

export interface PolicyBinding {
  readonly name: string;
  readonly spec: BindingSpec;
  readonly match: Match;
}

export interface PolicyDeps<T> {
  readonly source: ObjectSource;
  readonly environment: MakeEnvironment;
  readonly libraries: readonly Library[];
  readonly compile: (spec: PolicySpec, environment: Environment) => T;
}

/** Policies with bindings, by name. They are rebuilt when a policy or a binding changes. */
export class BoundPolicies<T> {
  readonly #policies: StoredObjects;
  readonly #bindings: StoredObjects;
  readonly #parts: PolicyDeps<T>;
  readonly #compiled = new WeakMap<KubeObject, Omit<Policy<T>, 'bindings'>>();
  #made: readonly Policy<T>[] = [];
  #version = '';

  constructor(policies: StoredObjects, bindings: StoredObjects, parts: PolicyDeps<T>) {
    this.#policies = policies;
    this.#bindings = bindings;
    this.#parts = parts;
  }

  get idle(): boolean {
    return this.#bindings.size === 0 || this.#policies.size === 0;
  }

  all(): readonly Policy<T>[] {
    const version = `${this.#policies.version}/${this.#bindings.version}`;
    if (this.#version !== version) {
      this.#version = version;
      this.#made = this.#make();
    }
    return this.#made;
  }

  #make(): Policy<T>[] {
    const byPolicy = Map.groupBy([...this.#bindings].sort(byName), (binding) => bindingSpec(binding).policyName ?? '');
    return [...this.#policies].sort(byName).flatMap((policy) => {
      const bindings = byPolicy.get(policy.metadata.name ?? '') ?? [];
      if (bindings.length === 0) return [];
      const known = this.#compiled.get(policy) ?? this.#compile(policy);
      this.#compiled.set(policy, known);
      return [{ ...known, bindings: bindings.map((binding) => this.#binding(binding)) }];
    });
  }

  #compile(object: KubeObject): Omit<Policy<T>, 'bindings'> {
    const { source, environment: make, libraries, compile } = this.#parts;
    const spec = policySpec(object);
    const { variables, environment } = compileVariables(spec, make, libraries);
    const conditions = spec.matchConditions ?? [];
    return {
      name: object.metadata.name ?? '',
      spec,
      match: matcher(matchSpec(spec.matchConstraints), source),
      conditions:
        conditions.length === 0
          ? undefined
          : matchConditions(conditions, make({ params: spec.paramKind !== undefined })),
      variables,
      content: compile(spec, environment),
    };
  }

  #binding(object: KubeObject): PolicyBinding {
    const spec = bindingSpec(object);
    return {
      name: object.metadata.name ?? '',
      spec,
      match: matcher(matchSpec(spec.matchResources, true), this.#parts.source),
    };
  }
}

function byName({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  return (a.name ?? '') < (b.name ?? '') ? -1 : 1;
}
