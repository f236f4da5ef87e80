import type { KubeObject } from '../kube/kube-object.ts';
import { validateMeta } from '../structural/object-meta.ts';
import { badRequest } from './api-error.ts';
import type { KindParts } from './builtin-resources.ts';
import { decodeBuiltIn } from './builtin-schema/decode.ts';
import { crdStrategy } from './custom/definition-strategy.ts';
import type { Shape } from './resource.ts';

/** What built-in kinds bring beside their place in discovery. */
export const kindParts: KindParts = {
  shape: shapeOf,
  strategy: (group) =>
    group === 'apiextensions.k8s.io' ? crdStrategy : { generation: false, status: true, unconditionalUpdate: true },
  conversion: () => ({}),
};

function shapeOf(group: string, version: string, kind: string): Shape {
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return {
    read: (body) => {
      const { object, unknown, error } = decodeBuiltIn(apiVersion, kind, body) ?? { object: body, unknown: [] };
      if (error !== undefined)
        throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${error}`);
      return { object: object as KubeObject, unknown };
    },
    applyDefaults() {},
    validate: ({ metadata }) => (group === 'rbac.authorization.k8s.io' ? [] : validateMeta(metadata)),
  };
}
