import { type AstNode, type Call, call, ident, literal, type MapEntry, type StructField } from './ast.ts';
import { childrenOf } from './children.ts';
import { type Token, tokenize } from './lexer.ts';
import { literalValue } from './literals.ts';
import { expandMacro } from './macros.ts';
import { type Issue, SourceError } from './source.ts';

const MAX_CODE_POINTS = 100_000;
const MAX_DEPTH = 250;
const STARTS =
  "'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";
const OPERAND = `{${STARTS}}`;
const ARGUMENT = `{${STARTS.replace("'.'", "')', '.'")}}`;
const RELATIONS = new Set(['<', '<=', '>', '>=', '==', '!=', 'in']);
const RESERVED = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

/** Parses an expression. Throws a SourceError that carries all its problems. */
export function parse(source: string): AstNode {
  const size = source.length <= MAX_CODE_POINTS ? 0 : [...source].length;
  if (size > MAX_CODE_POINTS) {
    throw new SourceError([
      { offset: -1, message: `expression code point size exceeds limit: size: ${size}, limit ${MAX_CODE_POINTS}` },
    ]);
  }
  const issues: Issue[] = [];
  const parser = new Parser(tokenize(source, issues), issues);
  const node = parser.parse();
  if (issues.length > 0) throw new SourceError(issues);
  if (isDeeper(node, MAX_DEPTH)) throw new SourceError([{ offset: -1, message: 'max recursion depth exceeded' }]);
  return node;
}

/** Reports whether a tree is too deep. It walks without recursion, which could not survive such a tree. */
function isDeeper(root: AstNode, max: number): boolean {
  const open: [node: AstNode, depth: number][] = [[root, 1]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, depth] = next;
    if (depth > max) return true;
    for (const child of childrenOf(node)) open.push([child, depth + 1]);
  }
  return false;
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #issues: Issue[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], issues: Issue[]) {
    this.#tokens = tokens;
    this.#issues = issues;
  }

  parse(): AstNode {
    const node = this.#expression();
    if (this.#token.kind !== 'end') this.#unexpected('<EOF>');
    return node;
  }

  get #token(): Token {
    return this.#tokens[this.#next] as Token;
  }

  #is(text: string): boolean {
    return this.#token.kind === 'op' && this.#token.text === text;
  }

  #accept(text: string): Token | undefined {
    return this.#is(text) ? this.#tokens[this.#next++] : undefined;
  }

  #expect(text: string, also?: string): Token {
    const token = this.#accept(text);
    if (token !== undefined) return token;
    if (also !== undefined) this.#unexpected(also);
    const after = this.#tokens[this.#next + 1];
    if (text !== ':' ? this.#token.kind === 'end' : startsOperand(this.#token)) {
      this.#syntax(this.#token.at, `missing '${text}' at '${this.#token.text}'`);
    }
    return this.#unexpected(`'${text}'`, after?.kind === 'op' && after.text === text);
  }

  /** Reports an unexpected token. It is `skippable` if the input would be valid without it. */
  #unexpected(expected: string, skippable = this.#isSkippable(expected)): never {
    const word = skippable ? 'extraneous' : 'mismatched';
    return this.#syntax(this.#token.at, `${word} input '${this.#token.text}' expecting ${expected}`);
  }

  #isSkippable(expected: string): boolean {
    const after = this.#tokens[this.#next + 1];
    if (after === undefined) return false;
    if (expected === '<EOF>') return after.kind === 'end';
    return expected.includes('IDENTIFIER') && startsOperand(after) && !(expected === ARGUMENT);
  }

  #syntax(offset: number, message: string): never {
    throw new SourceError([...this.#issues, { offset, message: `Syntax error: ${message}` }]);
  }

  #expression(): AstNode {
    if (++this.#depth > MAX_DEPTH) {
      throw new SourceError([{ offset: -1, message: `expression recursion limit exceeded: ${MAX_DEPTH}` }]);
    }
    const condition = this.#logical('||');
    const mark = this.#accept('?');
    let node = condition;
    if (mark !== undefined) {
      const yes = this.#logical('||');
      this.#expect(':', this.#token.kind === 'end' ? "':'" : undefined);
      node = call(mark.at, '_?_:_', condition, yes, this.#expression());
    }
    this.#depth--;
    return node;
  }

  /** Parses a chain of && or || to a balanced tree, so that a long chain is not deep. */
  #logical(operator: '||' | '&&'): AstNode {
    const terms = [this.#term(operator)];
    const marks: Token[] = [];
    for (let mark = this.#accept(operator); mark !== undefined; mark = this.#accept(operator)) {
      marks.push(mark);
      terms.push(this.#term(operator));
    }
    const build = (low: number, high: number): AstNode => {
      if (low === high) return terms[low] as AstNode;
      const middle = (low + high) >> 1;
      return call((marks[middle] as Token).at, `_${operator}_`, build(low, middle), build(middle + 1, high));
    };
    return build(0, terms.length - 1);
  }

  #term(operator: '||' | '&&'): AstNode {
    return operator === '||' ? this.#logical('&&') : this.#relation();
  }

  #relation(): AstNode {
    let node = this.#sum();
    while (this.#token.kind === 'op' && RELATIONS.has(this.#token.text)) {
      const { at, text } = this.#take();
      node = call(at, text === 'in' ? '@in' : `_${text}_`, node, this.#sum());
    }
    return node;
  }

  #sum(): AstNode {
    let node = this.#product();
    while (this.#is('+') || this.#is('-')) {
      const { at, text } = this.#take();
      node = call(at, `_${text}_`, node, this.#product());
    }
    return node;
  }

  #product(): AstNode {
    let node = this.#unary();
    while (this.#is('*') || this.#is('/') || this.#is('%')) {
      const { at, text } = this.#take();
      node = call(at, `_${text}_`, node, this.#unary());
    }
    return node;
  }

  #take(): Token {
    return this.#tokens[this.#next++] as Token;
  }

  /** Parses unary operators. Pairs of them cancel out. */
  #unary(): AstNode {
    const { at, text } = this.#token;
    if (!this.#is('!') && !this.#is('-')) return this.#member(this.#primary());
    let count = 0;
    while (this.#is(text)) {
      this.#next++;
      count++;
    }
    if (this.#is('!')) this.#syntax(this.#token.at, `no viable alternative at input '${text}!'`);
    if (text === '-' && count === 1 && isNumber(this.#token)) return this.#member(this.#literal(at));
    const sign = this.#accept('-');
    if (sign !== undefined && !isNumber(this.#token)) {
      this.#syntax(this.#token.at, `no viable alternative at input '-${this.#token.text}'`);
    }
    const node = this.#member(sign === undefined ? this.#primary() : this.#literal(sign.at));
    return count % 2 === 0 ? node : call(at, `${text}_`, node);
  }

  #member(first: AstNode): AstNode {
    let node = first;
    for (;;) {
      const mark = this.#accept('.') ?? this.#accept('[');
      if (mark === undefined) return node;
      const optional = this.#accept('?') !== undefined;
      if (mark.text === '[') {
        const index = this.#expression();
        this.#expect(']');
        node = call(mark.at, optional ? '_[?_]' : '_[_]', node, index);
        continue;
      }
      const field = this.#field(mark);
      const open = optional ? undefined : this.#accept('(');
      if (open === undefined) {
        node = { kind: 'select', at: mark.at, operand: node, field, test: false, optional };
        continue;
      }
      node = this.#call({ kind: 'call', at: open.at, fn: field, target: node, args: this.#arguments() });
    }
  }

  #field(dot: Token): string {
    const token = this.#token;
    if (token.text.startsWith('`')) {
      this.#issues.push({ offset: token.at, message: "unsupported syntax: '`'" });
      return this.#take().text.slice(1, -1);
    }
    if (token.kind !== 'word') {
      const shown = token.kind === 'end' ? '' : token.text;
      this.#syntax(token.at, `no viable alternative at input '${dot.text}${shown}'`);
    }
    if (['true', 'false', 'null'].includes(token.text)) this.#unexpected('IDENTIFIER', false);
    return this.#take().text;
  }

  #call(node: Call): AstNode {
    return expandMacro(node, this.#issues) ?? node;
  }

  #arguments(): AstNode[] {
    const args: AstNode[] = [];
    if (this.#accept(')') !== undefined) return args;
    if (!startsOperand(this.#token)) this.#unexpected(ARGUMENT);
    do args.push(this.#expression());
    while (this.#accept(',') !== undefined);
    this.#expect(')');
    return args;
  }

  #primary(): AstNode {
    const { kind, text, at } = this.#token;
    if (kind === 'word') {
      if (text === 'true' || text === 'false') return literal(this.#take().at, text === 'true');
      if (text === 'null') return literal(this.#take().at, null);
      return this.#name('');
    }
    if (kind !== 'op' && kind !== 'end') return this.#literal();
    if (this.#accept('(') !== undefined) {
      const node = this.#expression();
      this.#expect(')');
      return node;
    }
    if (this.#accept('[') !== undefined) return this.#list(at);
    if (this.#accept('{') !== undefined) return { kind: 'map', at, entries: this.#entries() };
    if (this.#accept('.') !== undefined && this.#token.kind === 'word') return this.#name('.');
    return this.#unexpected(OPERAND);
  }

  /** Parses a literal. A negative number begins at its sign. */
  #literal(sign?: number): AstNode {
    const token = this.#take();
    const at = sign ?? token.at;
    const result = literalValue(token, sign !== undefined);
    if ('value' in result) return literal(at, result.value);
    this.#issues.push({ offset: at, message: result.problem });
    return literal(at, null);
  }

  /** Parses a variable, a function call, or the construction of a message: a.b.C{field: value}. */
  #name(dot: string): AstNode {
    const { at, text } = this.#take();
    if (RESERVED.has(text)) this.#issues.push({ offset: at, message: `reserved identifier: ${text}` });
    const open = this.#accept('(');
    if (open !== undefined) {
      return this.#call({ kind: 'call', at: open.at, fn: dot + text, target: undefined, args: this.#arguments() });
    }
    if (!this.#isStruct()) return ident(at, dot + text);
    let name = dot + text;
    while (this.#accept('.') !== undefined) name += `.${this.#take().text}`;
    const brace = this.#expect('{');
    return { kind: 'struct', at: brace.at, name, fields: this.#fields() };
  }

  /** Reports whether a name is followed by .more.names and a brace. */
  #isStruct(): boolean {
    let next = this.#next;
    while (this.#tokens[next]?.text === '.' && this.#tokens[next + 1]?.kind === 'word') next += 2;
    return this.#tokens[next]?.text === '{' && this.#tokens[next]?.kind === 'op';
  }

  #fields(): StructField[] {
    const fields: StructField[] = [];
    while (!this.#is('}')) {
      if (fields.length > 0 || this.#is(',')) {
        if (this.#accept(',') === undefined) this.#unexpected("{'}', ','}", false);
        if (this.#is('}')) break;
      }
      const optional = this.#accept('?') !== undefined;
      if (this.#token.kind !== 'word') this.#unexpected("{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}");
      const name = this.#take().text.replaceAll('`', '');
      const colon = this.#expect(':');
      fields.push({ at: colon.at, name, value: this.#expression(), optional });
    }
    this.#take();
    return fields;
  }

  #list(at: number): AstNode {
    const items: AstNode[] = [];
    const optional = new Set<number>();
    while (!this.#is(']')) {
      if (items.length > 0 || this.#is(',')) {
        if (this.#accept(',') === undefined) this.#unexpected("{']', ','}", false);
        if (this.#is(']')) break;
        if (this.#is(',')) this.#unexpected("']'", false);
      }
      if (this.#accept('?') !== undefined) optional.add(items.length);
      items.push(this.#expression());
    }
    this.#take();
    return { kind: 'list', at, items, optional };
  }

  #entries(): MapEntry[] {
    const entries: MapEntry[] = [];
    while (!this.#is('}')) {
      if (entries.length > 0 || this.#is(',')) {
        if (this.#accept(',') === undefined) this.#unexpected("{'}', ','}", false);
        if (this.#is('}')) break;
      }
      const optional = this.#accept('?') !== undefined;
      const key = this.#expression();
      const colon = this.#expect(':');
      entries.push({ at: colon.at, key, value: this.#expression(), optional });
    }
    this.#take();
    return entries;
  }
}

function isNumber({ kind }: Token): boolean {
  return kind === 'int' || kind === 'float';
}

function startsOperand({ kind, text }: Token): boolean {
  return kind === 'op' ? ['[', '{', '(', '.', '-', '!'].includes(text) : kind !== 'end';
}
