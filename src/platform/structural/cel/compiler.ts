import { append } from '#platform/base/append';
import {
  ACCUMULATOR,
  type AstNode,
  type Call,
  type Fold,
  type ListNode,
  type MapNode,
  type Select,
  type StructNode,
} from './ast.ts';
import { CREATE_LIST, CREATE_MAP, CREATE_STRUCT, SELECT } from './call-cost.ts';
import type { Checked } from './checker.ts';
import type { Code, Frame } from './frame.ts';
import { invoke, READERS, readOnce } from './invocation.ts';
import { lookUp } from './library/optionals.ts';
import { type Path, pathPresence, pathSelection, presence, selection } from './selection.ts';
import { ValueMap } from './value-map.ts';
import { typeOfValue } from './value-type.ts';
import { ArrayList, EvaluationError, List, Mapping, noSuchOverload, Optional, type Value } from './values.ts';

export interface Compiled {
  readonly code: Code;
  /** Number of slots in a frame, starting with the variables of the environment. */
  readonly slots: number;
}

export function compile(root: AstNode, checked: Checked, variables: readonly string[]): Compiled {
  const compiler = new Compiler(checked, variables);
  const code = compiler.compile(root);
  return { code, slots: compiler.slots };
}

class Compiler {
  readonly #checked: Checked;
  readonly #scope: { readonly name: string; readonly slot: number }[];
  slots: number;

  constructor(checked: Checked, variables: readonly string[]) {
    this.#checked = checked;
    this.#scope = variables.map((name, slot) => ({ name, slot }));
    this.slots = variables.length;
  }

  compile(node: AstNode): Code {
    const constant = this.#checked.constants.get(node);
    if (constant !== undefined) return () => constant;
    switch (node.kind) {
      case 'literal': {
        const { value } = node;
        return () => value;
      }
      case 'ident':
        return this.#ident(node.name);
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        return this.#list(node);
      case 'map':
        return this.#map(node);
      case 'fold':
        return this.#fold(node);
      case 'bind': {
        const value = this.compile(node.value);
        const slot = this.#bind(node.name);
        const body = this.compile(node.body);
        this.#scope.pop();
        return (frame) => {
          frame.slots[slot] = value(frame);
          return body(frame);
        };
      }
      case 'struct':
        return this.#struct(node);
    }
  }

  #struct(node: StructNode): Code {
    const kind = this.#checked.messages.get(node);
    if (kind === undefined) throw new Error(`no message can be built: ${node.name}`);
    const codes = node.fields.map(({ name, value, optional }) => ({ name, value: this.compile(value), optional }));
    return (frame) => {
      frame.spend(CREATE_STRUCT);
      const fields = new Map<string, Value>();
      for (const { name, value: code, optional } of codes) {
        const value = code(frame);
        const held = optional && value instanceof Optional ? value.held : value;
        if (held !== undefined) fields.set(name, held);
      }
      return kind.build(fields);
    };
  }

  #bind(name: string): number {
    const slot = this.slots++;
    this.#scope.push({ name, slot });
    return slot;
  }

  #ident(written: string): Code {
    const name = nameOf(written);
    const slot = this.#slotOf(name);
    if (name !== ACCUMULATOR) {
      return (frame) => {
        frame.spend(SELECT);
        return frame.slots[slot] as Value;
      };
    }
    return (frame) => {
      frame.spend(SELECT);
      const value = frame.slots[slot] as Value | EvaluationError;
      if (value instanceof EvaluationError) throw value;
      return value;
    };
  }

  #select({ operand: inner, field, test, optional }: Select): Code {
    if (optional) {
      const operand = this.compile(inner);
      return (frame) => {
        frame.spend(SELECT);
        return lookUp(operand(frame), field);
      };
    }
    const path = this.#path(inner);
    if (path !== undefined) return test ? pathPresence(path, field) : pathSelection(path, field);
    const operand = this.compile(inner);
    return test ? presence(operand, field) : selection(operand, field);
  }

  /** Returns the variable and fields of self.a.b, or undefined for any other node. */
  #path(node: AstNode): Path | undefined {
    if (this.#checked.constants.has(node)) return undefined;
    if (node.kind === 'ident') {
      const name = nameOf(node.name);
      return name === ACCUMULATOR ? undefined : { slot: this.#slotOf(name), fields: [] };
    }
    if (node.kind !== 'select' || node.test || node.optional) return undefined;
    const before = this.#path(node.operand);
    return before && { slot: before.slot, fields: [...before.fields, node.field] };
  }

  #slotOf(name: string): number {
    return this.#scope.findLast((each) => each.name === name)?.slot ?? -1;
  }

  #list({ items, optional }: ListNode): Code {
    const codes = items.map((item) => this.compile(item));
    return (frame) => {
      frame.spend(CREATE_LIST);
      const values: Value[] = [];
      for (let i = 0; i < codes.length; i++) {
        const value = (codes[i] as Code)(frame);
        if (!optional.has(i)) values.push(value);
        else if (value instanceof Optional) {
          if (value.held !== undefined) values.push(value.held);
        } else throw noSuchOverload();
      }
      return new ArrayList(values);
    };
  }

  #map({ entries }: MapNode): Code {
    const codes = entries.map(({ key, value, optional }) => ({
      key: this.compile(key),
      value: this.compile(value),
      optional,
    }));
    return (frame) => {
      frame.spend(CREATE_MAP);
      const map = new ValueMap();
      for (const { key: keyCode, value: valueCode, optional } of codes) {
        const key = keyCode(frame);
        const value = valueCode(frame);
        const held = optional && value instanceof Optional ? value.held : value;
        if (held !== undefined) map.set(key, held);
      }
      return map;
    };
  }

  #call(node: Call): Code {
    const { fn, args } = node;
    const [first, second, third] = args;
    switch (fn) {
      case '_&&_':
      case '_||_':
        return logical(
          chain(node).map((operand) => this.compile(operand)),
          fn === '_||_',
        );
      case '_?_:_':
        return ternary(this.compile(first as AstNode), this.compile(second as AstNode), this.compile(third as AstNode));
      case '@not_strictly_false':
        return notStrictlyFalse(this.compile(first as AstNode));
      default:
    }
    const appended = this.#appended(node);
    if (appended !== undefined) return appended;
    const overloads = this.#checked.overloads.get(node) ?? [];
    const isMethod = overloads[0]?.isMethod === true;
    const operands = isMethod && node.target !== undefined ? [node.target, ...args] : args;
    const codes = operands.map((operand) => this.compile(operand));
    if (isMethod && (fn === 'or' || fn === 'orValue')) return orElse(codes, fn === 'orValue');
    const name = overloads[0]?.fn ?? fn;
    const [only, more] = operands;
    return only?.kind === 'literal' && more === undefined && READERS.has(name)
      ? readOnce(name, only.value, overloads)
      : invoke(name, codes, overloads);
  }

  /** Compiles appending one item to a loop's accumulator, so that no list is copied. */
  #appended({ fn, args: [accu, added] }: Call): Code | undefined {
    if (fn !== '_+_' || accu?.kind !== 'ident' || accu.name !== ACCUMULATOR || added?.kind !== 'list') return undefined;
    const collected = this.#ident(ACCUMULATOR);
    const item = this.compile(added.items[0] as AstNode);
    return (frame) => {
      const list = collected(frame) as ArrayList;
      const value = item(frame);
      frame.spend(CREATE_LIST + 1);
      list.items.push(value);
      return list;
    };
  }

  #fold(node: Fold): Code {
    const range = this.compile(node.range);
    const init = this.compile(node.init);
    const accu = this.#bind(ACCUMULATOR);
    const iter = this.#bind(node.iter);
    const iter2 = node.iter2 === undefined ? undefined : this.#bind(node.iter2);
    const endless = node.condition.kind === 'literal';
    const condition = this.compile(node.condition);
    const step = this.compile(node.step);
    if (iter2 !== undefined) this.#scope.pop();
    this.#scope.pop();
    const result = this.compile(node.result);
    this.#scope.pop();

    /**
     * Runs one iteration and returns false to end the loop. An error stays in the accumulator, where a later item may
     * overrule it.
     */
    const turn = (frame: Frame): boolean => {
      if (!endless && condition(frame) !== true) return false;
      if (endless) {
        frame.slots[accu] = step(frame);
        return true;
      }
      try {
        frame.slots[accu] = step(frame);
      } catch (error) {
        if (!(error instanceof EvaluationError)) throw error;
        frame.slots[accu] = error;
      }
      return true;
    };
    return (frame) => {
      const over = range(frame);
      frame.slots[accu] = init(frame);
      const { slots } = frame;
      if (over instanceof List) {
        for (let i = 0; i < over.size; i++) {
          if (iter2 !== undefined) slots[iter] = BigInt(i);
          slots[iter2 ?? iter] = over.at(i);
          if (!turn(frame)) break;
        }
      } else if (over instanceof Mapping) {
        for (const key of over.keys()) {
          slots[iter] = key;
          if (iter2 !== undefined) slots[iter2] = over.get(key) ?? null;
          if (!turn(frame)) break;
        }
      } else throw notIterable(over, iter2 !== undefined);
      return result(frame);
    };
  }
}

function notIterable(value: Value, isPair: boolean): EvaluationError {
  const { kind } = typeOfValue(value);
  const type = `types.${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  const problem = isPair ? `unsupported comprehension range type: ${type}` : `got '${type}', expected iterable type`;
  return new EvaluationError(problem);
}

/** Removes a leading dot, which means that no loop variable is referenced. */
const nameOf = (written: string): string => written.replace(/^\./, '');

/** Returns the operands of a && b && c, regardless of their nesting: only their order matters. */
function chain(root: Call): AstNode[] {
  const operands: AstNode[] = [];
  const open: AstNode[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.kind === 'call' && node.fn === root.fn) append(open, node.args.toReversed());
    else operands.push(node);
  }
  return operands;
}

/**
 * Compiles && and ||. A deciding operand wins, even over an error of another one; of several errors the first is
 * reported.
 */
function logical(operands: readonly Code[], deciding: boolean): Code {
  return (frame) => {
    let problem: EvaluationError | undefined;
    for (let i = 0; i < operands.length; i++) {
      const value = attempt(operands[i] as Code, frame);
      if (value === deciding) return deciding;
      if (typeof value !== 'boolean') problem ??= value instanceof EvaluationError ? value : noSuchOverload();
    }
    if (problem !== undefined) throw problem;
    return !deciding;
  };
}

/** Returns the value, or the error of its evaluation. */
function attempt(code: Code, frame: Frame): Value | EvaluationError {
  try {
    return code(frame);
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}

function ternary(condition: Code, yes: Code, no: Code): Code {
  return (frame) => {
    const value = condition(frame);
    if (typeof value !== 'boolean') throw noSuchOverload();
    return value ? yes(frame) : no(frame);
  };
}

function notStrictlyFalse(operand: Code): Code {
  return (frame) => {
    frame.spend(1);
    try {
      return operand(frame) !== false;
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      return true;
    }
  };
}

/** Compiles orValue and or. The alternative is evaluated only if the optional is empty. */
function orElse([optional, other]: readonly Code[], unwrap: boolean): Code {
  return (frame) => {
    frame.spend(1);
    const value = (optional as Code)(frame);
    if (!(value instanceof Optional)) return value;
    if (value.held === undefined) return (other as Code)(frame);
    return unwrap ? value.held : value;
  };
}
