import type { Strategy } from '../resource.ts';
import type { KindRules } from './kind-rules.ts';
import { rulesOf } from './rules-of.ts';
import traits from './traits.data.json' with { type: 'json' };

interface Traits {
  readonly generation?: boolean;
  readonly status?: boolean;
  readonly createOnUpdate?: boolean;
  readonly unconditionalUpdate?: boolean;
}

const TRAITS: Readonly<Record<string, Traits>> = traits;

/** Kinds whose first writer may say what their status is: a kubelet registers its node with it. */
const STATUS_ON_CREATE = new Set(['nodes.']);

/** What the API server does for a built-in kind beyond its shape. */
export function strategyOf(group: string, plural: string): Strategy {
  const name = `${plural}.${group}`;
  const { generation = false, status = false, ...updates } = TRAITS[name] ?? {};
  const rules = rulesOf(group, plural);
  return {
    ...rules,
    ...updates,
    generation,
    status,
    prepareCreate: prepareCreate(rules, status && !STATUS_ON_CREATE.has(name)),
  };
}

/** A new object's status is the server's to write. */
function prepareCreate(rules: KindRules, resetStatus: boolean): NonNullable<Strategy['prepareCreate']> {
  return (object) => {
    if (resetStatus) object['status'] = rules.firstStatus?.(object) ?? {};
    rules.prepareCreate?.(object);
  };
}
