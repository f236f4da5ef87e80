import type { Kind, ObjectOf } from '../api/kind.ts';
import { type FieldError, invalid } from '../base/field-error.ts';
import { compileSchema, type StructuralSchema } from '../structural/structural-schema.ts';
import type { AdmissionRequest, Admitter, Verdict } from './admitter.ts';

/** What admission made of an object: the object to store where there are no causes and nothing unknown in it. */
export interface Admitted<K extends Kind> extends Verdict {
  readonly object: ObjectOf<K>;
  /** Paths of fields that the kind does not have; they are no longer in the object. */
  readonly unknownFields: readonly string[];
}

/** One write before the object in it is known to be of its kind. */
export type AdmissionInput<K extends Kind> = Omit<AdmissionRequest<ObjectOf<K>>, 'object'> & {
  /** Decoded JSON that belongs to admission from here on: it is pruned and defaulted in place. */
  readonly object: unknown;
};

export type Admit<K extends Kind> = (input: AdmissionInput<K>) => Admitted<K>;

/** The whole way of an object of one kind through admission: prune, default, schema, rules, and what the kind asks beyond. */
export function admission<K extends Kind>(admitter: Admitter<K>): Admit<K> {
  const schema = compileSchema(admitter.kind.schema);
  return (input) => {
    const named = typeCauses(admitter.kind, input.object);
    if (named.length > 0)
      return { object: input.object as ObjectOf<K>, causes: named, warnings: [], unknownFields: [] };
    const unknownFields = schema.prune(input.object);
    if (input.subresource !== 'status') leaveStatusAlone(input.object as { status?: unknown }, input.old);
    const object = withDefaults(admitter, schema, input.object);
    const schemaCauses = schema.validate(object, input.old);
    const verdict = verdictOf(admitter, { ...input, object }, schemaCauses);
    return { object, unknownFields, ...verdict };
  };
}

function typeCauses(kind: Kind, object: unknown): FieldError[] {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) {
    return [invalid('', object, `must be an object of kind ${kind.kind}`)];
  }
  const { apiVersion, kind: name } = object as Readonly<Record<string, unknown>>;
  const served = kind.versions.map((version) => `${kind.group}/${version}`);
  const causes: FieldError[] = [];
  if (typeof apiVersion !== 'string' || !served.includes(apiVersion)) {
    causes.push(invalid('apiVersion', apiVersion ?? null, `must be ${served.join(' or ')}`));
  }
  if (name !== kind.kind) causes.push(invalid('kind', name ?? null, `must be ${kind.kind}`));
  return causes;
}

/** Status has a subresource of its own: what an ordinary write says of it is neither checked nor stored. */
function leaveStatusAlone(object: { status?: unknown }, old: { readonly status?: unknown } | undefined): void {
  if (old?.status === undefined) delete object.status;
  else object.status = old.status;
}

function withDefaults<K extends Kind>(admitter: Admitter<K>, schema: StructuralSchema, object: unknown): ObjectOf<K> {
  schema.applyDefaults(object);
  if (admitter.defaults === undefined) return object as ObjectOf<K>;
  try {
    return admitter.defaults(object as never) as unknown as ObjectOf<K>;
  } catch {
    // Only an object that the schema is about to refuse can trip a default.
    return object as ObjectOf<K>;
  }
}

/**
 * The kind's own validation is asked even where the schema has causes, so that a user sees everything at once; there it
 * may meet shapes that it was not written for, so what it says of a place that the schema already refused is left out.
 */
function verdictOf<K extends Kind>(
  admitter: Admitter<K>,
  request: AdmissionRequest<ObjectOf<K>>,
  schemaCauses: readonly FieldError[],
): Verdict {
  if (schemaCauses.length === 0) return admitter.validate(request);
  try {
    const { causes, warnings } = admitter.validate(request);
    const further = causes.filter((cause) => !schemaCauses.some((known) => overlaps(known.field, cause.field)));
    return { causes: [...schemaCauses, ...further], warnings };
  } catch {
    return { causes: schemaCauses, warnings: [] };
  }
}

function overlaps(a: string, b: string): boolean {
  if (a === '' || b === '') return false;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return long === short || (long.startsWith(short) && /^[.[]/.test(long.slice(short.length)));
}
