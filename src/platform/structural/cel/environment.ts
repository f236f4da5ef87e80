import { ADDRESSES } from './library/addresses.ts';
import { CONVERSIONS } from './library/conversions.ts';
import { NAMED_FORMATS } from './library/formats.ts';
import { LISTS } from './library/lists.ts';
import { MAPS } from './library/maps.ts';
import { OPERATORS } from './library/operators.ts';
import { OPTIONALS } from './library/optionals.ts';
import { QUANTITIES } from './library/quantities.ts';
import { REGEX } from './library/regex.ts';
import { SEMVERS } from './library/semvers.ts';
import { SETS } from './library/sets.ts';
import { STRINGS } from './library/strings.ts';
import { TIMES } from './library/times.ts';
import { URLS } from './library/urls.ts';
import type { Library, MessageKind, Overload } from './library.ts';
import type { Type } from './types.ts';
import type { Value } from './values.ts';

interface Constant {
  readonly type: Type;
  readonly value: Value;
}

/** Everything that an expression may reference. Environments are immutable; `extend` creates a larger one. */
export class Environment {
  /** Variables by name, in the order in which an evaluation receives their values. */
  readonly variables: ReadonlyMap<string, Type>;
  readonly #functions: ReadonlyMap<string, readonly Overload[]>;
  readonly #constants: ReadonlyMap<string, Constant>;
  readonly #messages: readonly NonNullable<Library['messages']>[];

  private constructor(
    variables: ReadonlyMap<string, Type>,
    functions: ReadonlyMap<string, readonly Overload[]>,
    constants: ReadonlyMap<string, Constant>,
    messages: readonly NonNullable<Library['messages']>[],
  ) {
    this.variables = variables;
    this.#functions = functions;
    this.#constants = constants;
    this.#messages = messages;
  }

  static of(libraries: readonly Library[]): Environment {
    return new Environment(new Map(), new Map(), new Map(), []).extend(new Map(), libraries);
  }

  /** Returns an environment with more variables, and optionally with further libraries. */
  extend(variables: ReadonlyMap<string, Type>, libraries: readonly Library[] = []): Environment {
    const all = new Map([...this.variables, ...variables]);
    if (libraries.length === 0) return new Environment(all, this.#functions, this.#constants, this.#messages);
    const functions = new Map(this.#functions);
    const constants = new Map(this.#constants);
    for (const library of libraries) {
      for (const overload of library.overloads) {
        functions.set(overload.fn, [...(functions.get(overload.fn) ?? []), overload]);
      }
      for (const [name, constant] of library.constants ?? []) constants.set(name, constant);
    }
    const messages = libraries.flatMap((library) => library.messages ?? []);
    return new Environment(all, functions, constants, [...this.#messages, ...messages]);
  }

  overloadsOf(name: string): readonly Overload[] | undefined {
    return this.#functions.get(name);
  }

  message(name: string): MessageKind | undefined {
    for (const find of this.#messages) {
      const kind = find(name);
      if (kind !== undefined) return kind;
    }
    return undefined;
  }

  constant(name: string): Constant | undefined {
    return this.#constants.get(name);
  }
}

/** Environment that every expression in Kubernetes 1.36 may use. */
export const KUBERNETES = Environment.of([
  OPERATORS,
  CONVERSIONS,
  STRINGS,
  REGEX,
  LISTS,
  SETS,
  MAPS,
  TIMES,
  OPTIONALS,
  QUANTITIES,
  URLS,
  ADDRESSES,
  SEMVERS,
  NAMED_FORMATS,
]);
