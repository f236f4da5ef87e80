import type { PolicyRule } from './rbac-objects.ts';
import { coversPath } from './rbac-rules.ts';

/**
 * Describes a part of a desired rule that no owned rule covers: every combination of one value of each list. The lists
 * are apiGroups, resources, verbs and resourceNames for resources, nonResourceURLs and verbs for paths.
 */
export interface UncoveredPart {
  readonly of: 'resources' | 'paths';
  /** Index of the desired rule, and the uncovered values of each of its lists. */
  readonly rule: number;
  readonly lists: readonly Positions[];
}

type Positions = readonly number[];

/** Maximum number of steps of one comparison, some 50 ns each. Rules of real roles take a few thousand. */
const MAX_STEPS = 500_000;

/**
 * Returns the parts of the desired rules that the owned ones do not cover, without visiting every combination: values
 * that the same owned rules cover are treated as one. Undefined if the rules are too complex to compare.
 */
export function uncoveredParts(
  owned: readonly PolicyRule[],
  desired: readonly PolicyRule[],
): readonly UncoveredPart[] | undefined {
  const parts: UncoveredPart[] = [];
  const steps = new Steps();
  const index = new OwnerIndex(owned);
  for (const [rule, of] of desired.entries()) {
    for (const kind of ['resources', 'paths'] as const) {
      const lists = boxOf(of, kind);
      if (lists.some((list) => list.length === 0)) continue;
      const candidates = kind === 'paths' ? index.ofPaths : index.ofResources(lists[1] ?? []);
      const owners = ownersOf(candidates, lists, kind, steps);
      if (owners === 'all') continue;
      if (steps.left < 0) return undefined;
      const found = new Comparison(lists, owners, steps).uncovered();
      if (found === undefined) return undefined;
      for (const item of found) parts.push({ of: kind, rule, lists: item });
    }
  }
  return parts;
}

/** Returns the lists of a rule whose combinations it allows. */
export function boxOf(rule: PolicyRule, kind: UncoveredPart['of']): readonly (readonly string[])[] {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  if (kind === 'paths') return [nonResourceURLs ?? [], verbs ?? []];
  return [apiGroups ?? [], resources ?? [], verbs ?? [], resourceNames?.length ? resourceNames : EVERY_NAME];
}

/** Represents the names of a rule that has none, and so covers all. */
const EVERY_NAME: readonly string[] = ['every name'];

class Steps {
  left = MAX_STEPS;
}

/** Indexes owned rules by what they cover, so that a desired rule is compared only with relevant ones. */
class OwnerIndex {
  readonly ofPaths: readonly CompiledRule[];
  readonly #byResource = new Map<string, CompiledRule[]>();

  constructor(owned: readonly PolicyRule[]) {
    const rules = owned.map(compileRule);
    // A rule for named objects covers no path, as in Kubernetes.
    this.ofPaths = rules.filter(({ paths, names }) => paths.size > 0 && names.size === 0);
    for (const rule of rules) {
      for (const resource of rule.resources) {
        const known = this.#byResource.get(resource);
        if (known) known.push(rule);
        else this.#byResource.set(resource, [rule]);
      }
    }
  }

  ofResources(resources: readonly string[]): ReadonlySet<CompiledRule> {
    const found = new Set(this.#byResource.get('*'));
    for (const resource of resources) {
      for (const rule of this.#byResource.get(resource) ?? []) found.add(rule);
      for (const rule of this.#byResource.get(anyParent(resource)) ?? []) found.add(rule);
    }
    return found;
  }
}

/** Values of each list of a box that an owned rule covers. */
type Coverage = readonly Uint8Array[];

/** Returns what each owned rule covers of a box; `all` if one covers it alone. Rules that cover nothing are omitted. */
function ownersOf(
  candidates: Iterable<CompiledRule>,
  box: readonly (readonly string[])[],
  kind: UncoveredPart['of'],
  steps: Steps,
): readonly Coverage[] | 'all' {
  const found: Coverage[] = [];
  const tests = kind === 'paths' ? PATH_TESTS : RESOURCE_TESTS;
  for (const rule of candidates) {
    const coverage: Uint8Array[] = [];
    let isWhole = true;
    for (const [i, list] of box.entries()) {
      const covers = tests[i] ?? coversNothing;
      steps.left -= list.length * (covers === coversPaths ? 1 + rule.patternSize : 1);
      if (steps.left < 0) return found;
      const covered = coveredOf(list, rule, covers);
      if (covered === undefined) break;
      if (covered.includes(0)) isWhole = false;
      coverage.push(covered);
    }
    steps.left--;
    if (coverage.length < box.length) continue;
    if (isWhole) return 'all';
    found.push(coverage);
  }
  return found;
}

type Covers = (rule: CompiledRule, value: string) => boolean;

/** Returns the values of a list that a rule covers; undefined if there are none. */
function coveredOf(list: readonly string[], rule: CompiledRule, covers: Covers): Uint8Array | undefined {
  let covered: Uint8Array | undefined;
  for (let at = 0; at < list.length; at++) {
    if (!covers(rule, list[at] ?? '')) continue;
    covered ??= new Uint8Array(list.length);
    covered[at] = 1;
  }
  return covered;
}

const coversNothing: Covers = () => false;
const coversVerb: Covers = ({ verbs }, verb) => verbs.has('*') || verbs.has(verb);
const coversPaths: Covers = ({ paths, patterns }, path) =>
  paths.has(path) || patterns.some((url) => coversPath(url, path));

const RESOURCE_TESTS: readonly Covers[] = [
  ({ groups }, group) => groups.has('*') || groups.has(group),
  ({ resources }, resource) => resources.has('*') || resources.has(resource) || resources.has(anyParent(resource)),
  coversVerb,
  ({ names }, name) => names.size === 0 || (name !== EVERY_NAME[0] && names.has(name)),
];
const PATH_TESTS: readonly Covers[] = [coversPaths, coversVerb];

/** Returns the wildcard form of a subresource (of any resource); the resource itself if it is not a subresource. */
function anyParent(resource: string): string {
  const slash = resource.indexOf('/');
  return slash < 0 ? resource : `*${resource.slice(slash)}`;
}

interface CompiledRule {
  readonly groups: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  readonly verbs: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
  readonly patterns: readonly string[];
  /** Cost of comparing a path with every pattern, in steps. */
  readonly patternSize: number;
}

const compiledRules = new WeakMap<PolicyRule, CompiledRule>();

function compileRule(rule: PolicyRule): CompiledRule {
  const known = compiledRules.get(rule);
  if (known !== undefined) return known;
  const patterns = (rule.nonResourceURLs ?? []).filter((url) => url.endsWith('*'));
  const made = {
    groups: new Set(rule.apiGroups ?? []),
    resources: new Set(rule.resources ?? []),
    verbs: new Set(rule.verbs ?? []),
    names: new Set(rule.resourceNames ?? []),
    paths: new Set(rule.nonResourceURLs ?? []),
    patterns,
    patternSize: patterns.reduce((size, { length }) => size + 1 + length / 64, 0),
  };
  compiledRules.set(rule, made);
  return made;
}

/** Groups values of one list that the same owners cover. */
interface ValueClass {
  readonly owners: bigint;
  readonly positions: number[];
}

/** Compares one box with owners none of which covers it alone. */
class Comparison {
  readonly #steps: Steps;
  readonly #classes: readonly (readonly ValueClass[])[];
  /** Owners that cover all of this list and of those after it. */
  readonly #covering: readonly bigint[];
  readonly #everyone: bigint;
  readonly #width: number;
  readonly #all: readonly Positions[];

  constructor(lists: readonly (readonly string[])[], owners: readonly Coverage[], steps: Steps) {
    this.#steps = steps;
    this.#all = lists.map((list) => [...list.keys()]);
    this.#width = 1 + owners.length / 64;
    this.#everyone = (1n << BigInt(owners.length)) - 1n;
    this.#classes = lists.map((list, i) => this.#classesOf(list, owners, i));
    const covering = [this.#everyone];
    for (const classes of this.#classes.toReversed()) {
      covering.unshift(classes.reduce((all, { owners: some }) => all & some, covering[0] ?? 0n));
    }
    this.#covering = covering;
  }

  uncovered(): readonly (readonly Positions[])[] | undefined {
    const found: Positions[][] = [];
    const visit = (depth: number, owners: bigint, chosen: readonly Positions[]): void => {
      this.#steps.left -= this.#width;
      if (this.#steps.left < 0) return;
      if (owners === 0n) {
        found.push([...chosen, ...this.#all.slice(depth)]);
        return;
      }
      if ((owners & (this.#covering[depth] ?? 0n)) !== 0n) return;
      for (const { owners: some, positions } of this.#classes[depth] ?? []) {
        visit(depth + 1, owners & some, [...chosen, positions]);
      }
    };
    visit(0, this.#everyone, []);
    return this.#steps.left < 0 ? undefined : found;
  }

  #classesOf(list: readonly string[], owners: readonly Coverage[], at: number): readonly ValueClass[] {
    const classes = new Map<string, ValueClass>();
    this.#steps.left -= list.length * owners.length;
    if (this.#steps.left < 0) return [];
    for (const position of list.keys()) {
      const key = owners.map((coverage) => coverage[at]?.[position] ?? 0).join('');
      const known = classes.get(key);
      if (known) known.positions.push(position);
      else classes.set(key, { owners: BigInt(`0b0${key}`), positions: [position] });
    }
    return [...classes.values()];
  }
}
