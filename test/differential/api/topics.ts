import type { Random } from '#platform/base/random';
import type { Step } from './step.ts';
import { access } from './topics/access.ts';
import { applies } from './topics/applies.ts';
import { custom, definitions } from './topics/custom.ts';
import { deletes } from './topics/deletes.ts';
import { kinds } from './topics/kinds.ts';
import { lists } from './topics/lists.ts';
import { oddities } from './topics/oddities.ts';
import { quotas } from './topics/quotas.ts';
import { workloads } from './topics/workloads.ts';

/** Topics of sequences with their frequencies. */
export const TOPICS: Readonly<Record<string, { readonly weight: number; readonly make: (random: Random) => Step[] }>> =
  {
    kinds: { weight: 6, make: kinds },
    applies: { weight: 3, make: applies },
    custom: { weight: 3, make: custom },
    definitions: { weight: 1, make: definitions },
    deletes: { weight: 3, make: deletes },
    lists: { weight: 3, make: lists },
    quotas: { weight: 2, make: quotas },
    access: { weight: 1, make: access },
    oddities: { weight: 3, make: oddities },
    workloads: { weight: 3, make: workloads },
  };
