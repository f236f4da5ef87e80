import { validateMeta } from '../structural/object-meta.ts';
import type { KindParts } from './builtin-resources.ts';

/** What built-in kinds bring beside their place in discovery. */
export const kindParts: KindParts = {
  shape: (group) => ({
    decode() {},
    prune: () => [],
    applyDefaults() {},
    validate: ({ metadata }) => (group === 'rbac.authorization.k8s.io' ? [] : validateMeta(metadata)),
  }),
  strategy: () => ({ generation: false, status: true, unconditionalUpdate: true }),
  conversion: () => ({}),
};
