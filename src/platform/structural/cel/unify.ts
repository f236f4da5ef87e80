import { DYN, listOf, mapOf, sameType, Type, typeOf } from './types.ts';

type Learnt = readonly [variable: Type, before: Type | undefined];

/** Bindings of type variables. Those made in a failed attempt can be undone. */
export class Bindings {
  readonly #known = new Map<Type, Type>();
  readonly #trail: Learnt[] = [];

  get(variable: Type): Type | undefined {
    return this.#known.get(variable);
  }

  set(variable: Type, type: Type): void {
    this.#trail.push([variable, this.#known.get(variable)]);
    this.#known.set(variable, type);
  }

  /** Runs a test and undoes its bindings unless it succeeds. */
  attempt(test: () => boolean): boolean {
    const mark = this.#trail.length;
    if (test()) return true;
    while (this.#trail.length > mark) {
      const [variable, before] = this.#trail.pop() as Learnt;
      if (before === undefined) this.#known.delete(variable);
      else this.#known.set(variable, before);
    }
    return false;
  }

  /** Reports whether values of the given types are assignable to the expected types. */
  accepts(given: readonly Type[], desired: readonly Type[]): boolean {
    return this.attempt(() => allAssignable(this, given, desired));
  }
}

/** Reports whether a value of type `given` is assignable to `desired`, and binds type variables on the way. */
function assignable(bindings: Bindings, given: Type, desired: Type): boolean {
  if (desired.kind === 'param') {
    const { fits, bound } = bind(bindings, given, desired);
    if (fits) return true;
    if (bound) return false;
  }
  if (given.kind === 'param') return bind(bindings, desired, given).fits;
  if (given.isDyn || desired.isDyn) return true;
  if (given.kind === 'null') return isNullable(desired);
  if (given.kind !== desired.kind) return false;
  switch (given.kind) {
    case 'list':
    case 'map':
      return allAssignable(bindings, given.params, desired.params);
    case 'opaque':
      return given.name === desired.name && allAssignable(bindings, given.params, desired.params);
    case 'object':
      return given.name === desired.name;
    default:
      return true;
  }
}

function allAssignable(bindings: Bindings, given: readonly Type[], desired: readonly Type[]): boolean {
  return given.length === desired.length && given.every((type, i) => assignable(bindings, type, desired[i] as Type));
}

function bind(bindings: Bindings, type: Type, variable: Type): { fits: boolean; bound: boolean } {
  const known = bindings.get(variable);
  if (known !== undefined) {
    if (sameType(type, known)) return { fits: true, bound: true };
    if (!assignable(bindings, type, known)) return { fits: false, bound: true };
    bindings.set(variable, mostGeneral(type, known));
    return { fits: true, bound: true };
  }
  if (occurs(bindings, variable, type)) return { fits: false, bound: false };
  bindings.set(variable, type);
  return { fits: true, bound: false };
}

function occurs(bindings: Bindings, variable: Type, within: Type): boolean {
  if (variable === within) return true;
  if (within.kind === 'param') {
    const known = bindings.get(within);
    return known !== undefined && occurs(bindings, variable, known);
  }
  return within.params.some((inner) => occurs(bindings, variable, inner));
}

function isNullable(type: Type): boolean {
  return ['null', 'opaque', 'object', 'timestamp', 'duration'].includes(type.kind);
}

/** Returns the less specific of two compatible types. */
export function mostGeneral(a: Type, b: Type): Type {
  return isLessSpecific(a, b) ? a : b;
}

function isLessSpecific(a: Type, b: Type): boolean {
  if (a.kind === 'dyn' || a.kind === 'param') return true;
  if (b.kind === 'dyn' || b.kind === 'param' || a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  if (a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((inner, i) => isLessSpecific(inner, b.params[i] as Type));
}

/** Replaces type variables by the results of `lookUp`. */
export function replaceVariables(type: Type, lookUp: (variable: Type) => Type): Type {
  if (type.kind === 'param') return lookUp(type);
  if (type.params.length === 0) return type;
  const params = type.params.map((inner) => replaceVariables(inner, lookUp));
  if (params.every((inner, i) => inner === type.params[i])) return type;
  const [first = DYN, second = DYN] = params;
  if (type.kind === 'list') return listOf(first);
  if (type.kind === 'map') return mapOf(first, second);
  if (type.kind === 'type') return typeOf(first);
  return new Type(type.kind, type.name, params, type.fields);
}

/** Substitutes all known type variables in a type. With `close`, the others become dyn. */
export function resolve(bindings: Bindings, type: Type, close: boolean): Type {
  return replaceVariables(type, (variable) => {
    const known = bindings.get(variable);
    if (known !== undefined) return resolve(bindings, known, close);
    return close ? DYN : variable;
  });
}
