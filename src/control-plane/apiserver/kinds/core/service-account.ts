import type { KindStrategy } from '../kind-strategy.ts';

const ENFORCE = 'kubernetes.io/enforce-mountable-secrets';

export const serviceAccounts: KindStrategy = {
  warnings: ({ metadata }) =>
    metadata.annotations?.[ENFORCE] === undefined
      ? []
      : [
          `metadata.annotations[${ENFORCE}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
        ],
};
