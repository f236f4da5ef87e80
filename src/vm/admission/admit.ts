import { type FieldError, type FieldErrorType, invalid } from '#platform/base/field-error';
import { jsonEqual } from '#platform/base/json-equal';
import type { JsonSchema } from '#platform/schema/json-schema';
import type { InputMeta, Kind, ObjectOf } from '#platform/schema/kind';
import { MAX_CAUSES } from '#platform/structural/cursor';
import { compileSchema, type StructuralSchema } from '#platform/structural/structural-schema';
import type { AdmissionRequest, AdmissionResult, Admitter } from './admitter.ts';

/** What admission made of an object: the object to store where there are no causes and nothing unknown in it. */
export interface Admitted<K extends Kind> extends AdmissionResult {
  readonly object: ObjectOf<K>;
  /** Paths of fields that the kind does not have; they are no longer in the object. */
  readonly unknownFields: readonly string[];
  /** Whether it was held against the schema that it was read by, which need not be done again. */
  readonly fits: boolean;
}

/** One write before the object in it is known to be of its kind. */
export type AdmissionInput<K extends Kind> = Omit<AdmissionRequest<ObjectOf<K>>, 'object'> & {
  /** Decoded JSON that belongs to admission from here on: it is pruned and defaulted in place. */
  readonly object: unknown;
  /** By which the object was pruned and defaulted already: where that is the schema of the kind, it is not again. */
  readonly readBy?: JsonSchema;
};

export type Admit<K extends Kind> = (input: AdmissionInput<K>) => Admitted<K>;

/**
 * The whole way of an object of one kind through admission: prune, default, schema, rules, and what the kind asks
 * beyond. `actedOn`: whether a controller looks after the kind.
 */
export function admission<K extends Kind>(kindAdmitter: Admitter<K>, { actedOn = true } = {}): Admit<K> {
  const { finalizer: _left, ...unheld } = kindAdmitter;
  const admitter: Admitter<K> = actedOn ? kindAdmitter : unheld;
  const schema = compileSchema(admitter.kind.schema);
  const typeCauses = typeCheck(admitter.kind);
  const isRead = sameSchema(admitter.kind.schema);
  return (input) => {
    try {
      const causes = typeCauses(input.object);
      if (causes.length > 0) return rejectedAdmission(input, causes);
      if (input.operation === 'DELETE') return admitDeletion(admitter, input);
      const read = isRead(input.readBy);
      const verdict = admitFitting(admitter, schema, input, read ? [] : pruneAndDefault(schema, input));
      return { ...verdict, fits: read && verdict.causes.length === 0 };
    } catch (error) {
      // The stack is the one bound on nesting that costs nothing to look at as long as all is well.
      if (!(error instanceof RangeError)) throw error;
      return rejectedAdmission(input, [invalid('', undefined, 'is nested too deeply')]);
    }
  };
}

/** Whatever is wrong with an object, it may go, unless its kind says otherwise. */
function admitDeletion<K extends Kind>(admitter: Admitter<K>, input: AdmissionInput<K>): Admitted<K> {
  const object = input.object as ObjectOf<K>;
  return { object, unknownFields: [], fits: false, ...limitCauses(admitter.validate({ ...input, object })) };
}

function admitFitting<K extends Kind>(
  admitter: Admitter<K>,
  schema: StructuralSchema,
  input: AdmissionInput<K>,
  unknownFields: readonly string[],
): Omit<Admitted<K>, 'fits'> {
  if (input.subresource !== 'status') leaveStatusAlone(input.object as { status?: unknown }, input.old);
  const { object: filled, causes } = withDefaults(admitter, schema, input);
  const isHeld =
    input.operation === 'CREATE' && causes.length === 0 && admitter.hasFinalizer?.(filled as never) !== false;
  const object = isHeld ? held(filled, admitter.finalizer) : filled;
  const verdict = verdictOf(admitter, { ...input, object }, causes);
  return { object, unknownFields, ...verdict };
}

/** Whether a schema says the same as that of a kind; each is looked at once. */
function sameSchema(kinds: JsonSchema): (other: JsonSchema | undefined) => boolean {
  const own = withoutEmpty(kinds);
  const known = new WeakMap<JsonSchema, boolean>();
  return (other) => {
    if (other === undefined) return false;
    const same = known.get(other) ?? jsonEqual(own, withoutEmpty(other));
    known.set(other, same);
    return same;
  };
}

/** A list of no properties says nothing, and the API server does not keep it. */
function withoutEmpty(schema: JsonSchema): unknown {
  const text = JSON.stringify(schema, (name, value: unknown) =>
    name === 'properties' && Object.keys(value as object).length === 0 ? undefined : value,
  );
  return JSON.parse(text);
}

type Members = Record<string, unknown>;

/** Prunes and defaults an object, but not what it shares with the old one, which is not admission's to change. */
function pruneAndDefault<K extends Kind>(schema: StructuralSchema, { object, old }: AdmissionInput<K>): string[] {
  const whole = object as Members;
  const before = (old ?? {}) as Members;
  const shared = Object.keys(whole).filter((name) => typeof whole[name] === 'object' && whole[name] === before[name]);
  const own = shared.length === 0 ? whole : without(whole, shared);
  const unknown = schema.prune(own);
  schema.applyDefaults(own);
  if (own === whole) return unknown;
  for (const name of Object.keys(whole)) if (!(name in own) && !shared.includes(name)) delete whole[name];
  for (const name of Object.keys(own)) if (!shared.includes(name)) whole[name] = own[name];
  return unknown;
}

function without(object: Members, names: readonly string[]): Members {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

function rejectedAdmission<K extends Kind>({ object }: AdmissionInput<K>, causes: readonly FieldError[]): Admitted<K> {
  return { object: object as ObjectOf<K>, causes, warnings: [], unknownFields: [], fits: false };
}

function typeCheck(kind: Kind): (object: unknown) => readonly FieldError[] {
  const served = new Set(kind.versions.map((version) => `${kind.group}/${version}`));
  return (object) => {
    if (typeof object !== 'object' || object === null || Array.isArray(object)) {
      return [invalid('', object, `must be an object of kind ${kind.kind}`)];
    }
    const { apiVersion, kind: name } = object as Readonly<Record<string, unknown>>;
    const causes: FieldError[] = [];
    if (typeof apiVersion !== 'string' || !served.has(apiVersion)) {
      causes.push(invalid('apiVersion', apiVersion ?? null, `must be ${[...served].join(' or ')}`));
    }
    if (name !== kind.kind) causes.push(invalid('kind', name ?? null, `must be ${kind.kind}`));
    return causes;
  };
}

/** Status has a subresource of its own: what an ordinary write says of it is neither checked nor stored. */
function leaveStatusAlone(object: { status?: unknown }, old: { readonly status?: unknown } | undefined): void {
  if (old?.status === undefined) delete object.status;
  else object.status = old.status;
}

/** The object with the finalizer of its kind. */
function held<T extends { readonly metadata: InputMeta }>(object: T, finalizer: string | undefined): T {
  if (finalizer === undefined) return object;
  // Whether metadata is sound is the API server's to say.
  const finalizers: unknown = (object.metadata as InputMeta | null | undefined)?.finalizers ?? [];
  if (!Array.isArray(finalizers) || finalizers.includes(finalizer)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
}

/** The object with what its kind fills in, and what its schema says of it; a kind fills in only what its schema accepts. */
function withDefaults<K extends Kind>(
  admitter: Admitter<K>,
  schema: StructuralSchema,
  input: AdmissionInput<K>,
): { readonly object: ObjectOf<K>; readonly causes: readonly FieldError[] } {
  const object = input.object as ObjectOf<K>;
  const causes = schema.validate(object, input.old);
  if (admitter.defaults === undefined || causes.length > 0) return { object, causes };
  const filled = admitter.defaults(object as never) as unknown as ObjectOf<K>;
  return filled === object ? { object, causes } : { object: filled, causes: schema.validate(filled, input.old) };
}

/** The bounds of a schema are what keeps checks cheap: past them, a list may be longer than a check was written for. */
const BEYOND_BOUNDS: ReadonlySet<FieldErrorType> = new Set(['TooMany', 'TooLong']);

/**
 * The kind's own validation is asked even where the schema has causes, so that a user sees everything at once; there it
 * may meet shapes that it was not written for, so what it says of such a place is left out.
 */
function verdictOf<K extends Kind>(
  admitter: Admitter<K>,
  request: AdmissionRequest<ObjectOf<K>>,
  schemaCauses: readonly FieldError[],
): AdmissionResult {
  if (schemaCauses.length === 0) return limitCauses(admitter.validate(request));
  if (schemaCauses.some(({ type }) => BEYOND_BOUNDS.has(type))) return { causes: schemaCauses, warnings: [] };
  try {
    const { causes, warnings } = admitter.validate(request);
    const told = schemaCauses.map(({ type, field, value }) => ({ type, place: placeOf(field), value }));
    const further = causes.slice(0, MAX_CAUSES).filter(({ field }) => {
      const place = placeOf(field);
      return !told.some((known) => alreadyTold(known, place));
    });
    const broken = schemaCauses.some(({ type }) => BROKEN.has(type));
    return limitCauses({ causes: [...schemaCauses, ...further], warnings: broken ? [] : warnings });
  } catch {
    return { causes: schemaCauses, warnings: [] };
  }
}

function limitCauses({ causes, warnings }: AdmissionResult): AdmissionResult {
  return causes.length <= MAX_CAUSES && warnings.length <= MAX_CAUSES
    ? { causes, warnings }
    : { causes: causes.slice(0, MAX_CAUSES), warnings: warnings.slice(0, MAX_CAUSES) };
}

/** After one of these, the place and what is below it are not of the shape that the kind's own rules were written for. */
const BROKEN: ReadonlySet<FieldErrorType> = new Set(['Required', 'TypeInvalid']);

interface CauseDraft {
  readonly type: FieldErrorType;
  readonly place: string;
  readonly value?: unknown;
}

/** One way to write a path: schemas write a key of a map as a field (limits.cpu), and checks of a kind limits[cpu]. */
function placeOf(field: string): string {
  return field.replaceAll(/\[([^\]]*)\]/g, '.$1');
}

/** Whether a cause speaks of a place that cannot be judged, or refuses a value that is refused already. */
function alreadyTold(known: CauseDraft, place: string): boolean {
  if (BROKEN.has(known.type)) return overlaps(known.place, place);
  return known.place === place && known.value !== undefined;
}

function overlaps(a: string, b: string): boolean {
  if (a === '' || b === '') return false;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return long === short || long.startsWith(`${short}.`);
}
