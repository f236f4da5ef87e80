import { type Columns, type Rule, ratioOfMax } from './rule.ts';

/**
 * Returns the Pareto front in PromQL, which has neither loops nor pairs. Nodes are extracted one by one, least loaded
 * first, each by its own rule ("slot"), so that a later slot can be compared with all before it. The front of a node is
 * one behind the last front that holds a node with no metric above its own.
 */
export function paretoRules(record: string, columns: Columns, window: string, most: number): Rule[] {
  const { cu, cp, mu, mp } = columns;
  const sum = `descheduler:node:pareto_sum:avg${window}`;
  const front = `descheduler:node:pareto_front_number:avg${window}`;
  const crowding = `descheduler:node:pareto_crowding:avg${window}`;
  const slots = Array.from({ length: most }, (_, at) => slotOf(at + 1, window));
  return [
    { record: sum, expr: `${cu} + ${cp} + ${mu} + ${mp}` },
    ...slots.flatMap((slot, at) => frontRules(slot, slots.slice(0, at), columns, sum)),
    { record: front, expr: `max by (instance) (${anyOf(slots, 'front')})` },
    ...slots.map((slot) => ({ record: slot.crowding, expr: crowdingOf(slot, columns, front) })),
    { record: crowding, expr: `max by (instance) (${anyOf(slots, 'crowding')})` },
    {
      record,
      expr:
        `clamp_max((${ratioOfMax(front)}) + (0.1 * (1 - ${crowding} / on () group_left () max(${crowding}))` +
        ` or ${front} * 0), 1) and on () (count(${sum}) <= ${most})`,
    },
  ];
}

/** Series of one slot, each with one node at most. */
interface Slot {
  readonly number: number;
  readonly window: string;
  readonly node: string;
  readonly front: string;
  readonly crowding: string;
}

function slotOf(number: number, window: string): Slot {
  const name = (what: string) => `descheduler:pareto:${what}_${number}:avg${window}`;
  return { number, window, node: name('node'), front: name('front'), crowding: name('crowding') };
}

/** Selects a series of several slots. */
function anyOf(slots: readonly Slot[], what: 'node' | 'front' | 'crowding'): string {
  const numbers = slots.map(({ number }) => number).join('|');
  return `{__name__=~"descheduler:pareto:${what}_(${numbers}):avg${slots[0]?.window ?? ''}"}`;
}

function frontRules(slot: Slot, before: readonly Slot[], columns: Columns, sum: string): Rule[] {
  const { node, front } = slot;
  if (before.length === 0) {
    return [
      { record: node, expr: `bottomk(1, ${sum})` },
      { record: front, expr: `${node} * 0` },
    ];
  }
  const undercut = Object.values(columns).map((each) => `and on (instance) (${each} <= ${valueAt(each, slot)})`);
  const beaten = `${anyOf(before, 'front')} ${undercut.join(' ')} and on (instance) (${sum} < scalar(${node}))`;
  return [
    { record: node, expr: `bottomk(1, ${sum} unless on (instance) ${anyOf(before, 'node')})` },
    { record: front, expr: `${node} * 0 + on () group_left () (max(${beaten}) + 1) or ${node} * 0` },
  ];
}

/**
 * Returns the distance between neighbors in the front over all metrics that differ there. It is empty on the boundary.
 */
function crowdingOf(slot: Slot, columns: Columns, front: string): string {
  const members = Object.values(columns).map((each) => ({
    each,
    all: `(${each} and on (instance) (${front} == scalar(${slot.front})))`,
  }));
  const spans = members.map(({ all }) => `(max(${all}) - min(${all}))`);
  const gaps = members.map(({ each, all }, at) => {
    const value = valueAt(each, slot);
    return `((min(${all} > ${value}) - max(${all} < ${value})) / ${spans[at]} or ${spans[at]} == 0)`;
  });
  return `${slot.node} * 0 + on () group_left () (${gaps.join(' + ')}) and on () (${spans.join(' + ')} > 0)`;
}

function valueAt(column: string, { node }: Slot): string {
  return `scalar(${column} and on (instance) ${node})`;
}
