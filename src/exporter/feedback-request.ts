import { child, duplicate, type FieldError, index, required, tooMany, typeInvalid } from '../base/field-error.ts';
import { type Move, RefusedError } from './fleet.ts';

const FIELDS = ['vm_id', 'from_node', 'to_node'] as const;
const MOST_MOVES = 10_000;

/** Reads `{"migrations": [{vm_id, from_node, to_node}]}`. Throws a RefusedError with all that is wrong. */
export function readMoves(body: unknown): readonly Move[] {
  const list = typeof body === 'object' && body !== null ? (body as { migrations?: unknown }).migrations : undefined;
  if (list === undefined) throw new RefusedError([required('migrations')]);
  if (!Array.isArray(list)) throw new RefusedError([typeInvalid('migrations', list, 'must be a list')]);
  if (list.length > MOST_MOVES) throw new RefusedError([tooMany('migrations', list.length, MOST_MOVES)]);
  const causes: FieldError[] = [];
  const seen = new Set<string>();
  const moves = list.map((each: unknown, i) => {
    const path = index('migrations', i);
    const move = { vm_id: '', from_node: '', to_node: '' };
    if (typeof each !== 'object' || each === null || Array.isArray(each)) {
      causes.push(typeInvalid(path, each, 'must be an object'));
      return move;
    }
    for (const field of FIELDS) {
      const value = (each as Readonly<Record<string, unknown>>)[field];
      if (typeof value === 'string' && value !== '') move[field] = value;
      else
        causes.push(
          value === undefined || value === ''
            ? required(child(path, field))
            : typeInvalid(child(path, field), value, 'must be text'),
        );
    }
    if (move.vm_id !== '' && seen.has(move.vm_id)) causes.push(duplicate(child(path, 'vm_id'), move.vm_id));
    seen.add(move.vm_id);
    return move;
  });
  if (causes.length > 0) throw new RefusedError(causes);
  return moves;
}
