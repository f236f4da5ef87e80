import { type FieldError, type FieldErrorType, invalid } from '#platform/base/field-error';
import { jsonEqual } from '#platform/base/json-equal';
import type { JsonSchema } from '#platform/schema/json-schema';
import type { InputMeta, Kind, ObjectOf } from '#platform/schema/kind';
import { MAX_CAUSES } from '#platform/structural/cursor';
import { compileSchema, type StructuralSchema } from '#platform/structural/structural-schema';
import type { AdmissionRequest, AdmissionResult, Admitter } from './admitter.ts';

/** Result of admission with the object to store, if there are no causes and no unknown fields. */
export interface Admitted<K extends Kind> extends AdmissionResult {
  readonly object: ObjectOf<K>;
  /** Paths of fields that the kind does not have. They are removed from the object. */
  readonly unknownFields: readonly string[];
  /** The object was validated by the schema that it was read with, so this need not be repeated. */
  readonly fits: boolean;
}

/** Write whose object is not yet known to be of its kind. */
export type AdmissionInput<K extends Kind> = Omit<AdmissionRequest<ObjectOf<K>>, 'object'> & {
  /** Decoded JSON that admission owns from here on. It is pruned and defaulted in place. */
  readonly object: unknown;
  /** Schema by which the object was already pruned and defaulted. If it is that of the kind, this is not repeated. */
  readonly readBy?: JsonSchema;
};

export type Admit<K extends Kind> = (input: AdmissionInput<K>) => Admitted<K>;

/**
 * Returns the whole admission of a kind: pruning, defaults, schema, rules, and the kind's own validation. `actedOn` is
 * true if a controller manages the kind.
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
      // The stack is the only limit on nesting that costs nothing for valid objects.
      if (!(error instanceof RangeError)) throw error;
      return rejectedAdmission(input, [invalid('', undefined, 'is nested too deeply')]);
    }
  };
}

/** Admits the deletion of even an invalid object, unless its kind rejects it. */
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
  const object = isHeld ? withFinalizer(filled, admitter.finalizer) : filled;
  const verdict = verdictOf(admitter, { ...input, object }, causes);
  return { object, unknownFields, ...verdict };
}

/** Returns a function that reports whether a schema equals that of a kind. Each schema is compared once. */
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

/** Removes empty property lists, which have no meaning and which the API server does not store. */
function withoutEmpty(schema: JsonSchema): unknown {
  const text = JSON.stringify(schema, (name, value: unknown) =>
    name === 'properties' && Object.keys(value as object).length === 0 ? undefined : value,
  );
  return JSON.parse(text);
}

type Members = Record<string, unknown>;

/** Prunes and defaults an object, but not the parts it shares with the old one, which admission must not change. */
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

/** Status has its own subresource, so an ordinary write neither validates nor stores it. */
function leaveStatusAlone(object: { status?: unknown }, old: { readonly status?: unknown } | undefined): void {
  if (old?.status === undefined) delete object.status;
  else object.status = old.status;
}

/** Returns the object with the finalizer of its kind. */
function withFinalizer<T extends { readonly metadata: InputMeta }>(object: T, finalizer: string | undefined): T {
  if (finalizer === undefined) return object;
  // The API server validates the metadata.
  const finalizers: unknown = (object.metadata as InputMeta | null | undefined)?.finalizers ?? [];
  if (!Array.isArray(finalizers) || finalizers.includes(finalizer)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
}

/** Returns the object with its kind's defaults, and the schema errors. The schema must accept these defaults. */
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

/** Schema limits keep the validation cheap. Beyond them, a list may be longer than the validation is designed for. */
const BEYOND_BOUNDS: ReadonlySet<FieldErrorType> = new Set(['TooMany', 'TooLong']);

/**
 * Runs the kind's own validation even if the schema has causes, so that a user sees everything at once. It may
 * encounter unexpected shapes there, so its causes for such paths are dropped.
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
    const reported = schemaCauses.map(({ type, field, value }) => ({ type, place: placeOf(field), value }));
    const further = causes.slice(0, MAX_CAUSES).filter(({ field }) => {
      const place = placeOf(field);
      return !reported.some((known) => isAlreadyReported(known, place));
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

/** After one of these, the path and everything below it lack the shape that the kind's own validation expects. */
const BROKEN: ReadonlySet<FieldErrorType> = new Set(['Required', 'TypeInvalid']);

interface CauseDraft {
  readonly type: FieldErrorType;
  readonly place: string;
  readonly value?: unknown;
}

/** Normalizes a path: schemas write a map key as a field (limits.cpu), and validations of a kind as limits[cpu]. */
function placeOf(field: string): string {
  return field.replaceAll(/\[([^\]]*)\]/g, '.$1');
}

/** Reports whether a cause is for a path that cannot be validated, or rejects a value that is already rejected. */
function isAlreadyReported(known: CauseDraft, place: string): boolean {
  if (BROKEN.has(known.type)) return overlaps(known.place, place);
  return known.place === place && known.value !== undefined;
}

function overlaps(a: string, b: string): boolean {
  if (a === '' || b === '') return false;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return long === short || long.startsWith(`${short}.`);
}
