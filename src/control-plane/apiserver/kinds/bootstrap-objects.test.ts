import { expect, it } from 'vitest';
import type { KubeObject } from '#platform/kube/kube-object';
import { decodeBuiltIn } from '../builtin-schema/decode.ts';
import bootstrap from '../kubernetes/bootstrap-objects.data.json' with { type: 'json' };
import discovery from '../kubernetes/discovery.data.json' with { type: 'json' };
import { strategyOf } from './strategy-of.ts';

const GROUPS: Readonly<Record<string, string>> = {
  rbac: 'rbac.authorization.k8s.io',
  flowcontrol: 'flowcontrol.apiserver.k8s.io',
  priorityclasses: 'scheduling.k8s.io',
};

interface Listed {
  readonly group: string;
  readonly plural: string;
  readonly objects: readonly object[];
}

const lists: readonly Listed[] = Object.entries(bootstrap).flatMap(([name, found]) => {
  const group = GROUPS[name] ?? '';
  if (Array.isArray(found)) return [{ group, plural: name, objects: found }];
  return Object.entries(found).map(([plural, objects]) => ({ group, plural, objects: objects as object[] }));
});

function kindOf(group: string, plural: string): string {
  const versions = Object.entries(discovery).find(([name]) => name === group)?.[1] ?? [];
  const found = versions.flatMap(
    ({ resources }) => resources as { resource: string; responseKind: { kind: string } }[],
  );
  return found.find(({ resource }) => resource === plural)?.responseKind.kind ?? '';
}

it.each(lists)(
  'accepts the initial $plural of a control plane without changes or errors',
  ({ group, plural, objects }) => {
    const strategy = strategyOf(group, plural);
    expect(objects.length).toBeGreaterThan(0);
    for (const each of objects) {
      const given = { apiVersion: `${group}/v1`, kind: kindOf(group, plural), ...structuredClone(each) };
      const object = decodeBuiltIn(given.apiVersion, given.kind, given)?.object as unknown as KubeObject;
      strategy.defaults?.(object);
      expect(object).toMatchObject(given);
      expect(strategy.validate?.(object) ?? []).toEqual([]);
      expect(strategy.warnings?.(object) ?? []).toEqual([]);
    }
  },
);
