import { append } from '#platform/base/append';
import { ACCUMULATOR, type AstNode, type Call, type Fold, qualifiedName, type Select, type StructNode } from './ast.ts';
import type { Environment } from './environment.ts';
import type { MessageKind, Overload } from './library.ts';
import type { Issue } from './source.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  ERROR,
  formatCallTypes,
  formatType,
  INT,
  isOptional,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  param,
  STRING,
  sameType,
  type Type,
  UINT,
  unwrapOptional,
} from './types.ts';
import { Bindings, mostGeneral, replaceVariables, resolve } from './unify.ts';
import { Uint, type Value } from './values.ts';

/** Result of type-checking an expression. */
export interface Checked {
  readonly type: Type;
  readonly types: ReadonlyMap<AstNode, Type>;
  /** Overloads that a call may resolve to. There are several if types are only known at run time. */
  readonly overloads: ReadonlyMap<AstNode, readonly Overload[]>;
  /** Values of names that denote constants, such as types. */
  readonly constants: ReadonlyMap<AstNode, Value>;
  /** Kinds of the messages that are constructed. */
  readonly messages: ReadonlyMap<AstNode, MessageKind>;
  /** Variables of the environment that the expression references. */
  readonly variables: ReadonlySet<string>;
}

/** Assigns a type to every part of an expression. Type errors are added to the issues. */
export function check(root: AstNode, environment: Environment, issues: Issue[]): Checked {
  const checker = new Checker(environment, issues);
  checker.check(root);
  return checker.result(root);
}

class Checker {
  readonly #environment: Environment;
  readonly #issues: Issue[];
  readonly #bindings = new Bindings();
  readonly #types = new Map<AstNode, Type>();
  readonly #overloads = new Map<AstNode, readonly Overload[]>();
  readonly #constants = new Map<AstNode, Value>();
  readonly #messages = new Map<AstNode, MessageKind>();
  readonly #variables = new Set<string>();
  /** Names bound by macros, innermost last. */
  readonly #locals: { readonly name: string; readonly type: Type }[] = [];

  constructor(environment: Environment, issues: Issue[]) {
    this.#environment = environment;
    this.#issues = issues;
  }

  result(root: AstNode): Checked {
    const types = new Map<AstNode, Type>();
    for (const [node, type] of this.#types) types.set(node, resolve(this.#bindings, type, true));
    return {
      type: types.get(root) ?? ERROR,
      types,
      overloads: this.#overloads,
      constants: this.#constants,
      messages: this.#messages,
      variables: this.#variables,
    };
  }

  check(node: AstNode): Type {
    const type = this.#typeOf(node);
    this.#types.set(node, type);
    return type;
  }

  #typeOf(node: AstNode): Type {
    switch (node.kind) {
      case 'literal':
        return literalType(node.value);
      case 'ident':
        return (
          this.#name(node, node.name) ?? this.#fail(node.at, `undeclared reference to '${node.name}' (in container '')`)
        );
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        return listOf(this.#joined(node.items, (i) => node.optional.has(i)));
      case 'map':
        return mapOf(
          this.#joined(node.entries.map(({ key }) => key)),
          this.#joined(
            node.entries.map(({ value }) => value),
            (i) => node.entries[i]?.optional === true,
          ),
        );
      case 'struct':
        return this.#struct(node);
      case 'fold':
        return this.#fold(node);
      case 'bind': {
        const value = this.check(node.value);
        return this.#within([{ name: node.name, type: value }], () => this.check(node.body));
      }
    }
  }

  #struct(node: StructNode): Type {
    const kind = this.#environment.message(node.name.replace(/^\./, ''));
    if (kind === undefined) return this.#fail(node.at, `undeclared reference to '${node.name}' (in container '')`);
    for (const { name, at, value, optional } of node.fields) {
      const checked = this.check(value);
      const given = optional ? unwrapOptional(checked) : checked;
      const desired = kind.field(name);
      if (desired !== undefined && this.#bindings.accepts([given], [desired])) continue;
      const shown = desired === undefined ? '' : this.#show(desired);
      this.#fail(at, `expected type of field '${name}' is '${shown}' but provided type is '${this.#show(given)}'`);
    }
    this.#messages.set(node, kind);
    return kind.type;
  }

  #fail(offset: number, message: string): Type {
    if (!this.#issues.some((issue) => issue.offset === offset && issue.message === message)) {
      this.#issues.push({ offset, message });
    }
    return ERROR;
  }

  /** Returns the type of a name, or undefined if it is not declared. */
  #name(node: AstNode, written: string): Type | undefined {
    const name = written.replace(/^\./, '');
    const local = this.#locals.findLast((each) => each.name === name);
    if (local !== undefined) return local.type;
    const variable = this.#environment.variables.get(name);
    if (variable !== undefined) {
      this.#variables.add(name);
      return variable;
    }
    const constant = this.#environment.constant(name);
    if (constant !== undefined) this.#constants.set(node, constant.value);
    return constant?.type;
  }

  #select(node: Select): Type {
    const name = node.test ? undefined : qualifiedName(node);
    const isLocal = name !== undefined && this.#locals.some((local) => local.name === name.split('.')[0]);
    const constant = name === undefined || isLocal ? undefined : this.#environment.constant(name);
    if (constant !== undefined) {
      this.#constants.set(node, constant.value);
      return constant.type;
    }
    const operand = resolve(this.#bindings, this.check(node.operand), false);
    const field = this.#field(node, unwrapOptional(operand));
    if (node.test) return BOOL;
    return (node.optional || isOptional(operand)) && !isOptional(field) ? optionalOf(field) : field;
  }

  #field(node: Select, type: Type): Type {
    if (type.kind === 'map') return type.params[1] ?? DYN;
    if (type.isDyn) return DYN;
    if (type.kind === 'param') {
      this.#bindings.set(type, DYN);
      return DYN;
    }
    if (type.kind !== 'object') {
      this.#fail(node.at, `type '${formatType(type)}' does not support field selection`);
      return DYN;
    }
    return type.fields?.get(node.field) ?? this.#fail(node.at, `undefined field '${node.field}'`);
  }

  #call(node: Call): Type {
    const args = node.args.map((arg) => this.check(arg));
    if (node.fn === '_&&_' || node.fn === '_||_') return this.#logical(node, args);
    const prefix = node.target === undefined ? undefined : qualifiedName(node.target);
    const isLocal = prefix !== undefined && this.#locals.some((local) => local.name === prefix.split('.')[0]);
    const qualified =
      prefix === undefined || isLocal ? undefined : this.#environment.overloadsOf(`${prefix}.${node.fn}`);
    if (qualified !== undefined) return this.#resolve(node, `${prefix}.${node.fn}`, qualified, args, false);
    const receiver = node.target === undefined ? undefined : this.check(node.target);
    const overloads = this.#environment.overloadsOf(node.fn.replace(/^\./, ''));
    if (overloads === undefined) {
      return this.#fail(node.at, `undeclared reference to '${node.fn}' (in container '')`);
    }
    if (receiver === undefined) return this.#resolve(node, node.fn, overloads, args, false);
    return this.#resolve(node, node.fn, overloads, [receiver, ...args], true);
  }

  #logical(node: Call, args: readonly Type[]): Type {
    const fitting = args.map((type, i) => this.#expect(node.args[i] as AstNode, type, BOOL));
    this.#overloads.set(node, this.#environment.overloadsOf(node.fn) ?? []);
    return fitting.includes(false) ? ERROR : BOOL;
  }

  #expect(node: AstNode, given: Type, desired: Type): boolean {
    if (this.#bindings.accepts([given], [desired])) return true;
    this.#fail(node.at, `expected type '${this.#show(desired)}' but found '${this.#show(given)}'`);
    return false;
  }

  #show(type: Type): string {
    return formatType(resolve(this.#bindings, type, true));
  }

  /** Finds the matching overloads and their common result type. */
  #resolve(node: Call, name: string, all: readonly Overload[], args: readonly Type[], isMethod: boolean): Type {
    const fitting: Overload[] = [];
    let result: Type | undefined;
    for (const overload of all) {
      if (overload.isMethod !== isMethod) continue;
      const fresh = new Map(overload.variables.map((variable) => [variable, param(variable.name)]));
      const instance = (type: Type): Type => replaceVariables(type, (variable) => fresh.get(variable) ?? variable);
      if (!this.#bindings.accepts(args, overload.params.map(instance))) continue;
      fitting.push(overload);
      const type = resolve(this.#bindings, instance(overload.result), false);
      if (result === undefined) result = type;
      else if (!result.isDyn && !sameType(result, type)) result = DYN;
    }
    this.#overloads.set(node, fitting);
    if (result !== undefined) return result;
    const shown = formatCallTypes(
      args.map((type) => resolve(this.#bindings, type, true)),
      isMethod,
    );
    return this.#fail(node.at, `found no matching overload for '${name}' applied to '${shown}'`);
  }

  /** Returns the common type of several nodes, or dyn if they differ. */
  #joined(nodes: readonly AstNode[], isOptionalAt: (index: number) => boolean = () => false): Type {
    let joined: Type | undefined;
    for (const [i, node] of nodes.entries()) {
      const checked = this.check(node);
      if (isOptionalAt(i) && !isOptional(checked) && !checked.isDyn) {
        this.#fail(node.at, `expected type 'optional_type(${formatType(checked)})' but found '${formatType(checked)}'`);
      }
      const type = isOptionalAt(i) ? unwrapOptional(checked) : checked;
      if (joined === undefined) joined = type;
      else if (this.#bindings.accepts([joined], [type])) joined = mostGeneral(joined, type);
      else joined = DYN;
    }
    return joined ?? param('_');
  }

  #fold(node: Fold): Type {
    const range = resolve(this.#bindings, this.check(node.range), false);
    const accumulator = this.check(node.init);
    const [key, value] = this.#iterated(node, range);
    const result = { name: ACCUMULATOR, type: accumulator };
    const bound =
      node.iter2 === undefined
        ? [{ name: node.iter, type: range.kind === 'list' ? value : key }]
        : [
            { name: node.iter, type: key },
            { name: node.iter2, type: value },
          ];
    this.#within([result, ...bound], () => {
      this.#expect(node.condition, this.check(node.condition), BOOL);
      this.#expect(node.step, this.check(node.step), accumulator);
    });
    return this.#within([result], () => this.check(node.result));
  }

  /** Returns the types of the index or key, and of the value, in a loop over a type. */
  #iterated(node: Fold, range: Type): readonly [key: Type, value: Type] {
    if (range.kind === 'list') return [INT, range.params[0] ?? DYN];
    if (range.kind === 'map') return [range.params[0] ?? DYN, range.params[1] ?? DYN];
    if (range.kind === 'param') this.#bindings.set(range, DYN);
    else if (!range.isDyn) {
      const what = `expression of type '${formatType(range)}' cannot be range of a comprehension`;
      this.#fail(node.range.at, `${what} (must be list, map, or dynamic)`);
      return [ERROR, ERROR];
    }
    return [DYN, DYN];
  }

  #within<T>(locals: readonly { name: string; type: Type }[], run: () => T): T {
    append(this.#locals, locals);
    const result = run();
    this.#locals.length -= locals.length;
    return result;
  }
}

function literalType(value: Value): Type {
  if (value === null) return NULL;
  if (typeof value === 'boolean') return BOOL;
  if (typeof value === 'bigint') return INT;
  if (typeof value === 'number') return DOUBLE;
  if (typeof value === 'string') return STRING;
  return value instanceof Uint ? UINT : BYTES;
}
