import type { Draw } from './draw.ts';
import { atMostOne, type HintedPart } from './field-hints.ts';

/** Required and optional fields of each action of a scenario. */
const ACTIONS: Readonly<Record<string, { readonly needs: readonly string[]; readonly allows: readonly string[] }>> = {
  create: { needs: ['pool', 'count'], allows: [] },
  delete: { needs: ['pool'], allows: ['count'] },
  scale: { needs: ['pool', 'count'], allows: [] },
  setUtilization: { needs: [], allows: ['pool', 'vm', 'profile', 'cpu', 'memory'] },
  addNodes: { needs: ['nodeGroup', 'count'], allows: [] },
  removeNodes: { needs: [], allows: ['nodes', 'hotSpot'] },
  failNodes: { needs: [], allows: ['nodes', 'hotSpot'] },
  recoverNodes: { needs: ['nodes'], allows: [] },
  migrate: { needs: [], allows: ['pool', 'vm', 'count', 'targetNode'] },
  pause: { needs: [], allows: [] },
};
const FIELDS = ['pool', 'vm', 'count', 'profile', 'cpu', 'memory', 'nodeGroup', 'nodes', 'hotSpot', 'targetNode'];

/** Parts of a scenario that others refer to. A part that is referred to but missing is created. */
class Parts {
  readonly #spec: HintedPart;
  readonly #draw: Draw;

  constructor(spec: HintedPart, draw: Draw) {
    this.#spec = spec;
    this.#draw = draw;
  }

  #name(list: string, otherwise: HintedPart): string {
    const parts = (this.#spec[list] ??= [otherwise]) as HintedPart[];
    if (parts.length === 0) parts.push(otherwise);
    return String(parts[this.#draw.below(parts.length)]?.['name']);
  }

  pool(): string {
    return this.#name('vmPools', { name: 'pool-a', resources: { cpu: '0.1', memory: '0.1' } });
  }

  profile(): string {
    return this.#name('profiles', { name: 'busy', cpu: { type: 'constant', constant: { value: 0.5 } } });
  }

  hotSpot(): string {
    return this.#name('hotSpots', { name: 'spot', pick: { metric: 'vmCount' } });
  }

  group(): string {
    return this.#name('nodes', { name: 'rack', count: 3 });
  }

  node(): string {
    const name = this.group();
    const group = (this.#spec['nodes'] as HintedPart[]).find((candidate) => candidate['name'] === name);
    if (group?.['count'] === 0) group['count'] = 2;
    return `${name}-1`;
  }

  nodesOrGroups(): string[] {
    return [this.#draw.below(2) === 0 ? this.group() : this.node()];
  }
}

/** Makes every reference in a scenario name an existing part, and gives every action the fields that it takes. */
export function scenarioReferences(spec: HintedPart, draw: Draw): void {
  // A letter at the end keeps the name of a group from looking like that of a node.
  for (const group of partsIn(spec, 'nodes')) group['name'] = `${String(group['name']).slice(0, 30)}x`;
  for (const pool of partsIn(spec, 'vmPools')) pool['name'] = `p${String(pool['name']).slice(0, 30)}`;
  for (const source of partsIn(spec, 'taskGenerators')) source['name'] = `t${String(source['name']).slice(0, 30)}`;
  for (const list of ['nodes', 'vmPools', 'taskGenerators']) distinct(partsIn(spec, list));
  const parts = new Parts(spec, draw);
  for (const pool of partsIn(spec, 'vmPools')) if (pool['profile'] !== undefined) pool['profile'] = parts.profile();
  for (const spot of partsIn(spec, 'hotSpots')) if (spot['nodes'] !== undefined) spot['nodes'] = parts.nodesOrGroups();
  for (const event of partsIn(spec, 'timeline')) action(event, parts);
  for (const event of partsIn(spec, 'conditionalEvents')) {
    const when = event['when'] as HintedPart;
    if (when['nodes'] !== undefined) when['nodes'] = parts.nodesOrGroups();
    for (const each of event['actions'] as HintedPart[]) action(each, parts);
  }
  for (const source of partsIn(spec, 'taskGenerators')) generator(source, parts);
}

function partsIn(spec: HintedPart, list: string): HintedPart[] {
  return (spec[list] ?? []) as HintedPart[];
}

function distinct(parts: HintedPart[]): void {
  const names = new Set<unknown>();
  for (const part of parts) {
    if (names.has(part['name'])) part['name'] = `${names.size}${String(part['name'])}`;
    names.add(part['name']);
  }
}

function action(event: HintedPart, parts: Parts): void {
  const given = FIELDS.filter((name) => event[name] !== undefined);
  const fits = (name: string) => given.every((field) => takes(name, field));
  if (!fits(String(event['action']))) event['action'] = Object.keys(ACTIONS).find(fits) ?? event['action'];
  const name = String(event['action']);
  for (const field of given) if (!takes(name, field)) delete event[field];
  for (const field of ACTIONS[name]?.needs ?? []) event[field] ??= 1;
  settle(event, name);
  if (event['pool'] !== undefined) event['pool'] = parts.pool();
  if (event['vm'] !== undefined) event['vm'] = `${parts.pool()}-7`;
  if (event['profile'] !== undefined) event['profile'] = parts.profile();
  if (event['nodeGroup'] !== undefined) event['nodeGroup'] = parts.group();
  if (event['nodes'] !== undefined) event['nodes'] = parts.nodesOrGroups();
  if (event['hotSpot'] !== undefined) event['hotSpot'] = parts.hotSpot();
  if (event['targetNode'] !== undefined) event['targetNode'] = parts.node();
}

function takes(name: string, field: string): boolean {
  const { needs = [], allows = [] } = ACTIONS[name] ?? {};
  return needs.includes(field) || allows.includes(field);
}

const poolOrMachine = atMostOne('pool', 'vm');
const nodesOrSpot = atMostOne('nodes', 'hotSpot');

/** Leaves exactly one of an action's alternatives. */
function settle(event: HintedPart, name: string): void {
  if (name === 'setUtilization' || name === 'migrate') {
    poolOrMachine(event);
    if (event['vm'] === undefined) event['pool'] ??= 1;
    else delete event['count'];
  }
  if (name === 'setUtilization') {
    const direct = event['cpu'] !== undefined || event['memory'] !== undefined;
    if (direct) delete event['profile'];
    else event['profile'] ??= 1;
  }
  if (name === 'removeNodes' || name === 'failNodes') {
    nodesOrSpot(event);
    if (event['hotSpot'] === undefined) event['nodes'] ??= 1;
  }
}

function generator(source: HintedPart, parts: Parts): void {
  const target = ['pool', 'hotSpot'].find((name) => source[name] !== undefined);
  if (source['labels'] !== undefined && target === undefined) source['creates'] = 'vm';
  if (source['creates'] === 'vm') {
    delete source['pool'];
    delete source['hotSpot'];
    return;
  }
  delete source['labels'];
  poolOrSpot(source);
  if (source['hotSpot'] === undefined) source['pool'] = parts.pool();
  else source['hotSpot'] = parts.hotSpot();
}

const poolOrSpot = atMostOne('pool', 'hotSpot');
