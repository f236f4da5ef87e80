import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type FieldError, formatFieldError } from '../../base/field-error.ts';
import type { KubeObject } from '../../kube/kube-object.ts';
import { strategyOf } from './strategy-of.ts';

/*
 * What Kubernetes 1.36 made of objects and their changes, kind by kind. A change names paths of the base object and
 * what is there instead; null takes a field away. A cause that ends in a tilde is the beginning of a longer one.
 */
interface Answers {
  readonly group: string;
  readonly plural: string;
  readonly base: KubeObject;
  readonly defaults?: readonly { given: object; becomes: object }[];
  readonly creates: readonly { change: Change; causes: readonly string[] }[];
  readonly updates?: readonly { from: Change; to: Change; causes: readonly string[] }[];
}

type Change = Readonly<Record<string, unknown>>;

const FOLDER = new URL('./answers/', import.meta.url);
const kinds = readdirSync(FOLDER).map((file) => {
  const answers = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Answers;
  return { name: file.replace('.data.json', ''), answers };
});

function changed(base: KubeObject, change: Change): KubeObject {
  const object = structuredClone(base);
  for (const [path, value] of Object.entries(change)) {
    const steps = path.split('/');
    const last = steps.pop() ?? '';
    let at = object as Record<string, unknown>;
    for (const step of steps) at = (at[step] ??= {}) as Record<string, unknown>;
    if (value === null) delete at[last];
    else at[last] = structuredClone(value);
  }
  object.metadata.namespace ??= 'kinds-x';
  object.metadata.uid ??= 'u';
  return object;
}

/** What the shape of a kind takes away: Go does not write zero values of most fields. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value)
    .map(([name, item]) => [name, withoutEmpty(item)] as const)
    .filter(([, item]) => {
      if (item === undefined || item === null || item === '') return false;
      return typeof item !== 'object' || Object.keys(item).length > 0;
    });
  return Object.fromEntries(kept);
}

function matchesAnswer(causes: readonly FieldError[], wanted: readonly string[]): void {
  const found = causes.map(formatFieldError);
  const cut = found.map((text, i) => {
    const answer = wanted[i] ?? '';
    return answer.endsWith('~') ? `${text.slice(0, answer.length - 1)}~` : text;
  });
  expect(cut).toEqual(wanted);
}

function create(strategy: ReturnType<typeof strategyOf>, object: KubeObject): readonly FieldError[] {
  strategy.defaults?.(object);
  strategy.prepareCreate?.(object);
  return strategy.validate?.(object) ?? [];
}

describe.each(kinds)('$name', ({ answers }) => {
  const strategy = strategyOf(answers.group, answers.plural);
  const { apiVersion, kind } = answers.base;

  it.each(answers.defaults ?? [])('is defaulted as Kubernetes does: $given', ({ given, becomes }) => {
    const object = { apiVersion, kind, metadata: {}, ...structuredClone(given) } as KubeObject;
    strategy.defaults?.(object);
    const { apiVersion: _a, kind: _k, ...rest } = object;
    expect(withoutEmpty(rest)).toEqual(withoutEmpty(becomes));
  });

  it.each(answers.creates)('is accepted or refused when created: $change', ({ change, causes }) => {
    matchesAnswer(create(strategy, changed(answers.base, change)), causes);
  });

  it.each(answers.updates ?? [])('is accepted or refused when changed: $from to $to', ({ from, to, causes }) => {
    const old = changed(answers.base, from);
    expect(create(strategy, old)).toEqual([]);
    const object = changed(changed(answers.base, from), to);
    strategy.defaults?.(object);
    if (strategy.status) object['status'] = structuredClone(old['status']);
    strategy.prepareUpdate?.(object, old);
    matchesAnswer(strategy.validate?.(object, old) ?? [], causes);
  });
});
