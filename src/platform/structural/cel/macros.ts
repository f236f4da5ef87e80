import { ACCUMULATOR, bind, type Call, call, type Fold, ident, list, literal, method, type Node } from './ast.ts';
import type { Issue } from './source.ts';

/** Expands a macro, or returns undefined to leave the call unchanged. */
type Expand = (node: Call, range: Node, issues: Issue[]) => Node | undefined;

/** Replaces a call that is a macro: it binds names, or inspects its argument without evaluating it. */
export function expandMacro(node: Call, issues: Issue[]): Node | undefined {
  if (node.target === undefined) return node.fn === 'has' && node.args.length === 1 ? has(node, issues) : undefined;
  return MACROS.get(`${node.fn}/${node.args.length}`)?.(node, node.target, issues);
}

function has(node: Call, issues: Issue[]): Node {
  const arg = node.args[0] as Node;
  if (arg.kind === 'select') return { ...arg, at: node.at, test: true };
  issues.push({ offset: arg.at, message: 'invalid argument to has() macro' });
  return arg;
}

const accu = (at: number): Node => ident(at, ACCUMULATOR);
const yes = (at: number): Node => literal(at, true);
/** Loop condition that continues until the result is decided. A later item may still overrule an error. */
const undecided = (at: number, negate: boolean): Node =>
  call(at, '@not_strictly_false', negate ? call(at, '!_', accu(at)) : accu(at));
const append = (at: number, item: Node): Node => call(at, '_+_', accu(at), list(at, item));

interface Loop {
  readonly init: Node;
  readonly condition?: Node;
  readonly step: Node;
  readonly result?: Node;
}

function all(at: number, test: Node): Loop {
  return { init: yes(at), condition: undecided(at, false), step: call(at, '_&&_', accu(at), test) };
}

function exists(at: number, test: Node): Loop {
  return { init: literal(at, false), condition: undecided(at, true), step: call(at, '_||_', accu(at), test) };
}

function existsOne(at: number, test: Node): Loop {
  const counted = call(at, '_+_', accu(at), literal(at, 1n));
  return {
    init: literal(at, 0n),
    step: call(at, '_?_:_', test, counted, accu(at)),
    result: call(at, '_==_', accu(at), literal(at, 1n)),
  };
}

function collect(at: number, item: Node, test?: Node): Loop {
  const step = append(at, item);
  return { init: list(at), step: test === undefined ? step : call(at, '_?_:_', test, step, accu(at)) };
}

function insert(at: number, args: readonly Node[], test?: Node): Loop {
  const step = call(at, 'cel.@mapInsert', accu(at), ...args);
  return {
    init: { kind: 'map', at, entries: [] },
    step: test === undefined ? step : call(at, '_?_:_', test, step, accu(at)),
  };
}

/** Creates a macro over one variable (`names` 1) or two. The loop is built from the arguments after the names. */
function folding(names: 1 | 2, build: (node: Call, rest: readonly Node[], names: readonly string[]) => Loop): Expand {
  return (node, range, issues) => {
    const bound: string[] = [];
    for (const arg of node.args.slice(0, names)) {
      const name = simpleName(arg, issues, notAName(node.fn));
      if (name === undefined) return literal(node.at, false);
      bound.push(name);
    }
    const [iter = '', iter2] = bound;
    if (iter === iter2) {
      issues.push({ offset: (node.args[1] as Node).at, message: `duplicate variable name: ${iter}` });
      return literal(node.at, false);
    }
    const loop = build(node, node.args.slice(names), [iter, iter2 ?? '']);
    const fold: Fold = {
      kind: 'fold',
      at: node.at,
      range,
      iter,
      iter2,
      init: loop.init,
      condition: loop.condition ?? yes(node.at),
      step: loop.step,
      result: loop.result ?? accu(node.at),
    };
    return fold;
  };
}

function simpleName(arg: Node, issues: Issue[], message: string): string | undefined {
  if (arg.kind === 'ident' && !arg.name.startsWith('.')) return arg.name;
  issues.push({ offset: arg.at, message });
  return undefined;
}

/** Returns the message for an invalid variable name, which differs between macros. */
function notAName(fn: string): string {
  if (fn.startsWith('opt')) return `${fn}() variable name must be a simple identifier`;
  return ['map', 'filter', 'sortBy'].includes(fn) ? 'argument is not an identifier' : 'argument must be a simple name';
}

/**
 * Evaluates the body with the value of the target, if it has one, bound to a name. Names with @ cannot clash with a
 * user's.
 */
function optionalMap(flat: boolean): Expand {
  return (node, target, issues) => {
    const { at } = node;
    const name = simpleName(node.args[0] as Node, issues, notAName(node.fn));
    if (name === undefined) return literal(at, false);
    const held = ident(at, '@target');
    const body = bind(at, name, method(at, held, 'value'), node.args[1] as Node);
    const some = flat ? body : call(at, 'optional.of', body);
    const mapped = call(at, '_?_:_', method(at, held, 'hasValue'), some, call(at, 'optional.none'));
    return bind(at, held.name, target, mapped);
  };
}

/** Sorts by a key that an expression computes for each item. */
const sortBy: Expand = (node, range, issues) => {
  if (!['list', 'ident', 'fold', 'call', 'select'].includes(range.kind)) {
    const kinds = 'a list, identifier, comprehension, call or select expression';
    issues.push({ offset: range.at, message: `sortBy can only be applied to ${kinds}` });
    return literal(node.at, false);
  }
  const input = ident(node.at, '@input');
  const keys = folding(1, ({ at, args }) => collect(at, args[1] as Node))(node, input, issues);
  if (keys === undefined) return undefined;
  return bind(node.at, input.name, range, method(node.at, input, '@sortByAssociatedKeys', keys));
};

const MACROS: ReadonlyMap<string, Expand> = new Map<string, Expand>([
  ['all/2', folding(1, ({ at }, [test]) => all(at, test as Node))],
  ['exists/2', folding(1, ({ at }, [test]) => exists(at, test as Node))],
  ['exists_one/2', folding(1, ({ at }, [test]) => existsOne(at, test as Node))],
  ['map/2', folding(1, ({ at }, [item]) => collect(at, item as Node))],
  ['map/3', folding(1, ({ at }, [test, item]) => collect(at, item as Node, test))],
  ['filter/2', folding(1, ({ at, args }, [test]) => collect(at, args[0] as Node, test))],
  ['all/3', folding(2, ({ at }, [test]) => all(at, test as Node))],
  ['exists/3', folding(2, ({ at }, [test]) => exists(at, test as Node))],
  ['exists_one/3', folding(2, ({ at }, [test]) => existsOne(at, test as Node))],
  ['existsOne/3', folding(2, ({ at }, [test]) => existsOne(at, test as Node))],
  ['transformList/3', folding(2, ({ at }, [item]) => collect(at, item as Node))],
  ['transformList/4', folding(2, ({ at }, [test, item]) => collect(at, item as Node, test))],
  ['transformMap/3', folding(2, ({ at }, [item], [key = '']) => insert(at, [ident(at, key), item as Node]))],
  [
    'transformMap/4',
    folding(2, ({ at }, [test, item], [key = '']) => insert(at, [ident(at, key), item as Node], test)),
  ],
  ['transformMapEntry/3', folding(2, ({ at }, [entry]) => insert(at, [entry as Node]))],
  ['transformMapEntry/4', folding(2, ({ at }, [test, entry]) => insert(at, [entry as Node], test))],
  ['optMap/2', optionalMap(false)],
  ['optFlatMap/2', optionalMap(true)],
  ['sortBy/2', sortBy],
]);
