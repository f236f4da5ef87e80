import type { PolicyRule } from './rbac-objects.ts';
import { coversPath } from './rbac-rules.ts';

/**
 * A part of a wanted rule that no owned rule covers: every combination of one value of each list. The lists are apiGroups,
 * resources, verbs and resourceNames for resources, nonResourceURLs and verbs for paths.
 */
export interface UncoveredPart {
  readonly of: 'resources' | 'paths';
  /** Which of the wanted rules, and of each of its lists which values. */
  readonly rule: number;
  readonly lists: readonly Positions[];
}

type Positions = readonly number[];

/** The steps of one comparison: about 20 ms. Rules of real roles take a few thousand. */
const MAX_STEPS = 1_000_000;

/**
 * The parts of the wanted rules that the owned ones do not cover, without looking at every combination: values that the
 * same owned rules cover are treated as one. Undefined if the rules are too intricate to be compared.
 */
export function uncoveredParts(
  owned: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): readonly UncoveredPart[] | undefined {
  const parts: UncoveredPart[] = [];
  const steps = new Steps();
  for (const [rule, of] of wanted.entries()) {
    for (const kind of ['resources', 'paths'] as const) {
      const lists = boxOf(of, kind);
      if (lists.some((list) => list.length === 0)) continue;
      const owners = ownersOf(owned, lists, kind, steps);
      if (owners === 'all') continue;
      if (steps.left < 0) return undefined;
      const found = new Comparison(lists, owners, steps).uncovered();
      if (found === undefined) return undefined;
      for (const item of found) parts.push({ of: kind, rule, lists: item });
    }
  }
  return parts;
}

/** The lists of a rule whose combinations it allows. */
export function boxOf(rule: PolicyRule, kind: UncoveredPart['of']): readonly (readonly string[])[] {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  if (kind === 'paths') return [nonResourceURLs ?? [], verbs ?? []];
  return [apiGroups ?? [], resources ?? [], verbs ?? [], resourceNames?.length ? resourceNames : EVERY_NAME];
}

/** Stands for the names of a rule that has none, and so holds for all. */
const EVERY_NAME: readonly string[] = ['every name'];

class Steps {
  left = MAX_STEPS;
}

/** Of each list of a box the values that an owned rule covers. */
type Coverage = readonly Uint8Array[];

/** What each owned rule covers of a box; `all` if one covers it alone. Rules that cover nothing of it are left out. */
function ownersOf(
  owned: readonly PolicyRule[],
  box: readonly (readonly string[])[],
  kind: UncoveredPart['of'],
  steps: Steps,
): readonly Coverage[] | 'all' {
  const found: Coverage[] = [];
  for (const rule of owned) {
    const coverage: Uint8Array[] = [];
    let isWhole = true;
    for (const [i, covers] of (kind === 'paths' ? pathTests(rule) : resourceTests(rule, box)).entries()) {
      const list = box[i] ?? [];
      const covered = new Uint8Array(list.length);
      let count = 0;
      for (const [at, value] of list.entries()) {
        steps.left -= covers.cost(value);
        if (steps.left < 0) return found;
        if (!covers.test(value)) continue;
        covered[at] = 1;
        count++;
      }
      if (count === 0) break;
      if (count < list.length) isWhole = false;
      coverage.push(covered);
    }
    steps.left--;
    if (coverage.length < box.length) continue;
    if (isWhole) return 'all';
    found.push(coverage);
  }
  return found;
}

interface Covers {
  test(value: string): boolean;
  cost(value: string): number;
}

const one = () => 1;

function resourceTests(rule: PolicyRule, box: readonly (readonly string[])[]): Covers[] {
  const { groups, resources, verbs, names } = compiled(rule);
  const named = box[3] !== EVERY_NAME;
  return [
    { test: (group) => groups.has('*') || groups.has(group), cost: one },
    { test: (resource) => coversResource(resources, resource), cost: one },
    { test: (verb) => verbs.has('*') || verbs.has(verb), cost: one },
    { test: (name) => names.size === 0 || (named && names.has(name)), cost: one },
  ];
}

function pathTests(rule: PolicyRule): Covers[] {
  const { verbs, names, paths, patterns, patternSize } = compiled(rule);
  // A rule for named objects covers no path, as in Kubernetes.
  if (names.size > 0) return [];
  return [
    { test: (path) => paths.has(path) || patterns.some((url) => coversPath(url, path)), cost: () => 1 + patternSize },
    { test: (verb) => verbs.has('*') || verbs.has(verb), cost: one },
  ];
}

function coversResource(resources: ReadonlySet<string>, wanted: string): boolean {
  if (resources.has('*') || resources.has(wanted)) return true;
  const slash = wanted.indexOf('/');
  return slash >= 0 && resources.has(`*${wanted.slice(slash)}`);
}

interface CompiledRule {
  readonly groups: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  readonly verbs: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
  readonly patterns: readonly string[];
  /** What comparing a path with every pattern takes, in steps. */
  readonly patternSize: number;
}

const compiledRules = new WeakMap<PolicyRule, CompiledRule>();

function compiled(rule: PolicyRule): CompiledRule {
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

/** Values of one list that the same owners cover. */
interface ValueClass {
  readonly owners: bigint;
  readonly positions: number[];
}

/** Compares one box with owners of whom none covers it alone. */
class Comparison {
  readonly #steps: Steps;
  readonly #classes: readonly (readonly ValueClass[])[];
  /** The owners that cover all of this list and of those after it. */
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
