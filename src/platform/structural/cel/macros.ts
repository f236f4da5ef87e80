import {
  ACCUMULATOR,
  type AstNode,
  bind,
  type Call,
  call,
  type Fold,
  ident,
  listLiteral,
  literal,
  methodCall,
} from './ast.ts';
import type { Issue } from './source.ts';

/** Expands a macro, or returns undefined to leave the call unchanged. */
type Expand = (node: Call, range: AstNode, issues: Issue[]) => AstNode | undefined;

/** Replaces a call that is a macro: it binds names, or inspects its argument without evaluating it. */
export function expandMacro(node: Call, issues: Issue[]): AstNode | undefined {
  if (node.target === undefined) return node.fn === 'has' && node.args.length === 1 ? has(node, issues) : undefined;
  return MACROS.get(`${node.fn}/${node.args.length}`)?.(node, node.target, issues);
}

function has(node: Call, issues: Issue[]): AstNode {
  const arg = node.args[0] as AstNode;
  if (arg.kind === 'select') return { ...arg, at: node.at, test: true };
  issues.push({ offset: arg.at, message: 'invalid argument to has() macro' });
  return arg;
}

const accu = (at: number): AstNode => ident(at, ACCUMULATOR);
const yes = (at: number): AstNode => literal(at, true);
/** Loop condition that continues until the result is decided. A later item may still overrule an error. */
const isUndecided = (at: number, negate: boolean): AstNode =>
  call(at, '@not_strictly_false', negate ? call(at, '!_', accu(at)) : accu(at));
const append = (at: number, item: AstNode): AstNode => call(at, '_+_', accu(at), listLiteral(at, item));

interface Loop {
  readonly init: AstNode;
  readonly condition?: AstNode;
  readonly step: AstNode;
  readonly result?: AstNode;
}

function all(at: number, test: AstNode): Loop {
  return { init: yes(at), condition: isUndecided(at, false), step: call(at, '_&&_', accu(at), test) };
}

function exists(at: number, test: AstNode): Loop {
  return { init: literal(at, false), condition: isUndecided(at, true), step: call(at, '_||_', accu(at), test) };
}

function existsOne(at: number, test: AstNode): Loop {
  const counted = call(at, '_+_', accu(at), literal(at, 1n));
  return {
    init: literal(at, 0n),
    step: call(at, '_?_:_', test, counted, accu(at)),
    result: call(at, '_==_', accu(at), literal(at, 1n)),
  };
}

function collect(at: number, item: AstNode, test?: AstNode): Loop {
  const step = append(at, item);
  return { init: listLiteral(at), step: test === undefined ? step : call(at, '_?_:_', test, step, accu(at)) };
}

function insert(at: number, args: readonly AstNode[], test?: AstNode): Loop {
  const step = call(at, 'cel.@mapInsert', accu(at), ...args);
  return {
    init: { kind: 'map', at, entries: [] },
    step: test === undefined ? step : call(at, '_?_:_', test, step, accu(at)),
  };
}

/** Creates a macro over one variable (`names` 1) or two. The loop is built from the arguments after the names. */
function foldMacro(
  names: 1 | 2,
  build: (node: Call, rest: readonly AstNode[], names: readonly string[]) => Loop,
): Expand {
  return (node, range, issues) => {
    const bound: string[] = [];
    for (const arg of node.args.slice(0, names)) {
      const name = simpleName(arg, issues, notAName(node.fn));
      if (name === undefined) return literal(node.at, false);
      bound.push(name);
    }
    const [iter = '', iter2] = bound;
    if (iter === iter2) {
      issues.push({ offset: (node.args[1] as AstNode).at, message: `duplicate variable name: ${iter}` });
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

function simpleName(arg: AstNode, issues: Issue[], message: string): string | undefined {
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
    const name = simpleName(node.args[0] as AstNode, issues, notAName(node.fn));
    if (name === undefined) return literal(at, false);
    const held = ident(at, '@target');
    const body = bind(at, name, methodCall(at, held, 'value'), node.args[1] as AstNode);
    const some = flat ? body : call(at, 'optional.of', body);
    const mapped = call(at, '_?_:_', methodCall(at, held, 'hasValue'), some, call(at, 'optional.none'));
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
  const keys = foldMacro(1, ({ at, args }) => collect(at, args[1] as AstNode))(node, input, issues);
  if (keys === undefined) return undefined;
  return bind(node.at, input.name, range, methodCall(node.at, input, '@sortByAssociatedKeys', keys));
};

const MACROS: ReadonlyMap<string, Expand> = new Map<string, Expand>([
  ['all/2', foldMacro(1, ({ at }, [test]) => all(at, test as AstNode))],
  ['exists/2', foldMacro(1, ({ at }, [test]) => exists(at, test as AstNode))],
  ['exists_one/2', foldMacro(1, ({ at }, [test]) => existsOne(at, test as AstNode))],
  ['map/2', foldMacro(1, ({ at }, [item]) => collect(at, item as AstNode))],
  ['map/3', foldMacro(1, ({ at }, [test, item]) => collect(at, item as AstNode, test))],
  ['filter/2', foldMacro(1, ({ at, args }, [test]) => collect(at, args[0] as AstNode, test))],
  ['all/3', foldMacro(2, ({ at }, [test]) => all(at, test as AstNode))],
  ['exists/3', foldMacro(2, ({ at }, [test]) => exists(at, test as AstNode))],
  ['exists_one/3', foldMacro(2, ({ at }, [test]) => existsOne(at, test as AstNode))],
  ['existsOne/3', foldMacro(2, ({ at }, [test]) => existsOne(at, test as AstNode))],
  ['transformList/3', foldMacro(2, ({ at }, [item]) => collect(at, item as AstNode))],
  ['transformList/4', foldMacro(2, ({ at }, [test, item]) => collect(at, item as AstNode, test))],
  ['transformMap/3', foldMacro(2, ({ at }, [item], [key = '']) => insert(at, [ident(at, key), item as AstNode]))],
  [
    'transformMap/4',
    foldMacro(2, ({ at }, [test, item], [key = '']) => insert(at, [ident(at, key), item as AstNode], test)),
  ],
  ['transformMapEntry/3', foldMacro(2, ({ at }, [entry]) => insert(at, [entry as AstNode]))],
  ['transformMapEntry/4', foldMacro(2, ({ at }, [test, entry]) => insert(at, [entry as AstNode], test))],
  ['optMap/2', optionalMap(false)],
  ['optFlatMap/2', optionalMap(true)],
  ['sortBy/2', sortBy],
]);
