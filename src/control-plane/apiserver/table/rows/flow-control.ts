import { ageOf, type Cell, type Condition, type Listed, nameOf } from '../cell.ts';

interface FlowSchema extends Listed {
  readonly spec?: {
    readonly priorityLevelConfiguration?: { readonly name?: string };
    readonly matchingPrecedence?: number;
    readonly distinguisherMethod?: { readonly type?: string };
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export function flowSchemaRow(object: FlowSchema, now: number): Cell[] {
  const { priorityLevelConfiguration, matchingPrecedence = 0, distinguisherMethod } = object.spec ?? {};
  const dangling = object.status?.conditions?.find((item) => item.type === 'Dangling');
  return [
    nameOf(object),
    priorityLevelConfiguration?.name ?? '',
    matchingPrecedence,
    distinguisherMethod === undefined ? '<none>' : (distinguisherMethod.type ?? ''),
    ageOf(object, now),
    dangling === undefined ? '?' : (dangling.status ?? ''),
  ];
}

/** Sorts flow schemas in the order in which they are matched. */
export function byPrecedence(a: FlowSchema, b: FlowSchema): number {
  const difference = (a.spec?.matchingPrecedence ?? 0) - (b.spec?.matchingPrecedence ?? 0);
  if (difference !== 0) return difference;
  return nameOf(a) < nameOf(b) ? -1 : 1;
}

interface PriorityLevel extends Listed {
  readonly spec?: {
    readonly type?: string;
    readonly limited?: {
      readonly nominalConcurrencyShares?: number;
      readonly limitResponse?: {
        readonly queuing?: { readonly queues?: number; readonly handSize?: number; readonly queueLengthLimit?: number };
      };
    };
  };
}

export function priorityLevelRow(object: PriorityLevel, now: number): Cell[] {
  const { type = '', limited } = object.spec ?? {};
  const queuing = limited?.limitResponse?.queuing;
  const shares = limited === undefined ? '<none>' : (limited.nominalConcurrencyShares ?? 0);
  const queues: Cell[] =
    queuing === undefined
      ? ['<none>', '<none>', '<none>']
      : [queuing.queues ?? 0, queuing.handSize ?? 0, queuing.queueLengthLimit ?? 0];
  return [nameOf(object), type, shares, ...queues, ageOf(object, now)];
}
