import {
  child,
  duplicate,
  type FieldError,
  index,
  invalid,
  notSupported,
  required,
  tooMany,
  typeInvalid,
} from '#platform/base/field-error';
import { type Destinations, RejectedError, type SuggestedMove } from './fleet-backend.ts';

const FIELDS = ['vm_id', 'from_node', 'to_node'] as const;
const MAX_MOVES = 10_000;

const DESTINATIONS: readonly Destinations[] = ['planner', 'scheduler'];

export interface Feedback {
  readonly moves: readonly SuggestedMove[];
  readonly destinations: Destinations;
}

/**
 * Parses `{"migrations": [{vm_id, from_node, to_node}], "destinations": "planner"}`, in which a VM of the namespace may
 * be named with or without it. Without to_node the scheduler picks another node; throws a RejectedError with all
 * problems.
 */
export function readFeedback(body: unknown, namespace = ''): Feedback {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  const { migrations: list, destinations = 'scheduler' } = fields;
  if (list === undefined) throw new RejectedError([required('migrations')]);
  if (!Array.isArray(list)) throw new RejectedError([typeInvalid('migrations', list, 'must be a list')]);
  if (list.length > MAX_MOVES) throw new RejectedError([tooMany('migrations', list.length, MAX_MOVES)]);
  const causes: FieldError[] = DESTINATIONS.includes(destinations as Destinations)
    ? []
    : [notSupported('destinations', destinations, DESTINATIONS)];
  const seen = new Set<string>();
  const moves = list.map((each: unknown, i): SuggestedMove => {
    const path = index('migrations', i);
    const texts = { vm_id: '', from_node: '', to_node: '' };
    if (typeof each !== 'object' || each === null || Array.isArray(each)) {
      causes.push(typeInvalid(path, each, 'must be an object'));
      return texts;
    }
    for (const field of FIELDS) {
      const value = (each as Readonly<Record<string, unknown>>)[field] ?? '';
      if (typeof value !== 'string') causes.push(typeInvalid(child(path, field), value, 'must be a string'));
      else if (value === '' && field !== 'to_node') causes.push(required(child(path, field)));
      else texts[field] = value;
    }
    const { vm_id, from_node, to_node } = texts;
    const key = namespace === '' || vm_id.includes('/') ? vm_id : `${namespace}/${vm_id}`;
    if (vm_id !== '' && seen.has(key)) causes.push(duplicate(child(path, 'vm_id'), vm_id));
    seen.add(key);
    if (to_node !== '' && to_node === from_node)
      causes.push(invalid(child(path, 'to_node'), to_node, 'must differ from from_node'));
    return { vm_id, from_node, to_node: to_node === '' ? null : to_node };
  });
  if (causes.length > 0) throw new RejectedError(causes);
  return { moves, destinations: destinations as Destinations };
}
