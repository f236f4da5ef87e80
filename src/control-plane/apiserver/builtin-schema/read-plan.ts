import { type MessageField, type MessageShape, messageShape } from './message-shape.ts';
import { type SpecialJson, specialJson } from './special-json.ts';

/** Position of a field, as errors name it. */
export interface FieldPlace {
  readonly name: string;
  /** Go's name of the structure. */
  readonly struct: string;
  /** Go path, which also names structures that are inlined in JSON. */
  readonly goPath: string;
}

/**
 * A field in the order in which Go writes its structure. `slot` is the index of its value while the structure is read.
 */
export interface PlannedField extends FieldPlace {
  readonly field: MessageField;
  readonly slot: number;
}

/** Plan for reading the JSON of a message, computed once because bodies are far more numerous than messages. */
export interface ReadPlan {
  readonly shape: MessageShape;
  /** Custom decoder of the type, if any. */
  readonly special: SpecialJson | undefined;
  readonly byName: ReadonlyMap<string, PlannedField>;
  readonly ordered: readonly PlannedField[];
  /** Positions of `kind` and `apiVersion`, if the structure has them. */
  readonly type: ReadonlyMap<string, FieldPlace>;
}

const TYPE_META = ['kind', 'apiVersion'] as const;
const plans = new Map<string, ReadPlan>();

export function readPlan(message: string): ReadPlan {
  let plan = plans.get(message);
  if (plan === undefined) {
    plan = planOf(message);
    plans.set(message, plan);
  }
  return plan;
}

function planOf(message: string): ReadPlan {
  const shape = messageShape(message);
  const special = specialJson(message);
  const { struct } = shape;
  const byName = new Map<string, PlannedField>();
  if (special === undefined) nameAll(shape, '', struct, byName);
  const ordered = special === undefined ? inOrder(shape).flatMap((name) => byName.get(name) ?? []) : [];
  const type = (shape.typed ? TYPE_META : []).map(
    (name) => [name, { name, struct, goPath: `TypeMeta.${name}` }] as const,
  );
  return { shape, special, byName, ordered, type: new Map(type) };
}

/** Collects the fields of a structure, and those of inlined ones that it does not override. */
function nameAll(shape: MessageShape, through: string, struct: string, found: Map<string, PlannedField>): void {
  for (const [name, field] of shape.byJson) {
    if (!found.has(name)) found.set(name, { name, struct, goPath: `${through}${name}`, field, slot: found.size });
  }
  for (const { type, json } of shape.inlined) nameAll(messageShape(type), `${through}${json}.`, struct, found);
}

function inOrder(shape: MessageShape): string[] {
  const names = [...shape.byId.values()].flatMap((field) =>
    field.inline ? inOrder(messageShape(field.type)) : [field.json],
  );
  return [...new Set(names)];
}
