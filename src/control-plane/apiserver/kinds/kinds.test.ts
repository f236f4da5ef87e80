import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type FieldError, formatFieldError } from '#platform/base/field-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { ANONYMOUS } from '../access/user.ts';
import { decodeBuiltIn } from '../builtin-schema/decode.ts';
import { strategyOf } from './strategy-of.ts';

/*
 * Results of Kubernetes 1.36 for objects and their changes, by kind. A change maps paths of the base object to new
 * values with null to delete a field, and a cause that ends in a tilde is a prefix.
 */
interface Answers {
  readonly group: string;
  readonly plural: string;
  readonly base: KubeObject;
  readonly defaults?: readonly { given: object; becomes: object }[];
  readonly creates: readonly { change: Change; causes: readonly string[] }[];
  readonly updates?: readonly Update[];
}

interface Update {
  readonly from: Change;
  readonly to: Change;
  readonly causes: readonly string[];
  /** Starts the write from the stored object instead of the base. */
  readonly carry?: boolean;
  /** Status that was written before. */
  readonly status?: object;
  /** Expected spec. */
  readonly becomes?: object;
}

type Change = Readonly<Record<string, unknown>>;

const DIRECTORY = new URL('./answers/', import.meta.url);
const kinds = readdirSync(DIRECTORY).map((file) => {
  const answers = JSON.parse(readFileSync(new URL(file, DIRECTORY), 'utf8')) as Answers;
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

/** Returns an object as the decoder of the server returns it. */
function decoded(object: object): KubeObject {
  const { apiVersion, kind } = object as KubeObject;
  const { object: read, error } = decodeBuiltIn(apiVersion, kind, object) ?? {};
  expect(error).toBeUndefined();
  return read as unknown as KubeObject;
}

function matchesAnswer(causes: readonly FieldError[], desired: readonly string[]): void {
  const found = causes.map(formatFieldError);
  const cut = found.map((text, i) => {
    const response = desired[i] ?? '';
    return response.endsWith('~') ? `${text.slice(0, response.length - 1)}~` : text;
  });
  expect(cut).toEqual(desired);
}

function create(strategy: ReturnType<typeof strategyOf>, object: KubeObject): readonly FieldError[] {
  strategy.defaults?.(object);
  strategy.prepareCreate?.(object, ANONYMOUS);
  return strategy.validate?.(object) ?? [];
}

describe.each(kinds)('$name', ({ answers }) => {
  const strategy = strategyOf(answers.group, answers.plural);
  const { apiVersion, kind } = answers.base;

  it.each(answers.defaults ?? [])('is defaulted as Kubernetes does: $given', ({ given, becomes }) => {
    const object = decoded({ apiVersion, kind, ...given });
    strategy.defaults?.(object);
    expect(object).toEqual({ apiVersion, kind, metadata: {}, ...becomes });
  });

  it.each(answers.creates)('is accepted or rejected when created: $change', ({ change, causes }) => {
    matchesAnswer(create(strategy, decoded(changed(answers.base, change))), causes);
  });

  it.each(answers.updates ?? [])('is accepted or rejected when changed: $from to $to', (update) => {
    const { from, to, causes, carry = false, status, becomes } = update;
    const old = decoded(changed(answers.base, from));
    expect(create(strategy, old)).toEqual([]);
    if (status !== undefined) old['status'] = status;
    const object = decoded(changed(carry ? old : changed(answers.base, from), to));
    strategy.defaults?.(object);
    if (strategy.status) object['status'] = structuredClone(old['status']);
    strategy.prepareUpdate?.(object, old);
    matchesAnswer(strategy.validate?.(object, old) ?? [], causes);
    if (becomes !== undefined) expect(object['spec']).toEqual(becomes);
  });
});
