#!/usr/bin/env node
// Renames symbols, members, locals and files of the project through TypeScript's own language server; strings and comments stay as they are.
// Usage, in the root of the project: node tools/renames/rename.mjs [--symbols | --files] TABLE...
// With --symbols all lines but those of files are carried out, with --files only those: in two commits, git follows each file.
// A table has one rename per line (# begins a comment); each line sees the result of the lines before it:
//   symbol src/a/breath.ts Breath YieldBudget          a declaration at the top level of the file
//   symbol src/a/breath.ts Breath.due isExhausted      every member, parameter or local of that name inside the declaration Breath
//   local  src/a breath budget                         every parameter and local variable of that name in the files of the directory, or in the file
//   member src/a breath budget                         every property of that name that an interface, a type or a class there declares
//   text   src/a | 'take a breath' | 'yield'           exact text in the files of the directory, or in the file: for string literals and inferred types
//   file   src/a/breath.ts src/a/yield-budget.ts       also src/a/breath.test.ts and so on; or a directory
// Lines that have been carried out before are skipped, so a table can be replayed. A line whose symbol is elsewhere is reported with the place, and not carried out.
// When a member is renamed, `{ old }` becomes `{ new: old }`; the local `old` is then renamed too, unless that would be ambiguous (reported as `kept`).
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, posix, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseSync } from 'oxc-parser';

const root = process.cwd();
const uri = (file) => pathToFileURL(resolve(root, file)).href;
const pathOf = (where) => relative(root, fileURLToPath(where));
const git = (...args) =>
  execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 28 })
    .split('\n')
    .filter(Boolean);
const sources = () => git('ls-files', '-co', '--exclude-standard', '*.ts', '*.mjs').filter((f) => existsSync(f));
let missed = 0;
const miss = (row, why) => {
  missed++;
  console.log(`missed: ${row.join(' ')} (${why})`);
};

// --- The language server.
const server = spawn('node_modules/.bin/tsc', ['--lsp', '--stdio'], { cwd: root, stdio: ['pipe', 'pipe', 'ignore'] });
const waiting = new Map();
let [buffer, last] = [Buffer.alloc(0), 0];
const send = (message) => {
  const text = JSON.stringify({ jsonrpc: '2.0', ...message });
  server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
};
const request = (method, params) =>
  new Promise((done) => {
    waiting.set(++last, done);
    send({ id: last, method, params });
  });
server.stdout.on('data', (data) => {
  buffer = Buffer.concat([buffer, data]);
  for (;;) {
    const head = buffer.indexOf('\r\n\r\n');
    if (head < 0) return;
    const end = head + 4 + Number(/Content-Length: (\d+)/i.exec(buffer.subarray(0, head).toString())[1]);
    if (buffer.length < end) return;
    const message = JSON.parse(buffer.subarray(head + 4, end).toString());
    buffer = buffer.subarray(end);
    if (message.id !== undefined && message.method)
      send({
        id: message.id,
        result: message.method === 'workspace/configuration' ? message.params.items.map(() => ({})) : null,
      });
    else if (message.id !== undefined) waiting.get(message.id)?.(message);
  }
});
await request('initialize', {
  processId: process.pid,
  rootUri: uri('.'),
  capabilities: { workspace: { workspaceEdit: { documentChanges: true } } },
});
send({ method: 'initialized', params: {} });

const open = new Map();
function show(file) {
  const text = readFileSync(file, 'utf8');
  const version = (open.get(file) ?? 0) + 1;
  if (version === 1)
    send({
      method: 'textDocument/didOpen',
      params: { textDocument: { uri: uri(file), languageId: 'typescript', version, text } },
    });
  else
    send({
      method: 'textDocument/didChange',
      params: { textDocument: { uri: uri(file), version }, contentChanges: [{ text }] },
    });
  open.set(file, version);
  return text;
}
function write(file, text) {
  writeFileSync(file, text);
  if (open.has(file)) show(file);
  else send({ method: 'workspace/didChangeWatchedFiles', params: { changes: [{ uri: uri(file), type: 2 }] } });
}
const position = (text, offset) => {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length - 1, character: before.at(-1).length };
};
const offsetIn = (text, { line, character }) => {
  let at = 0;
  for (let i = 0; i < line; i++) at = text.indexOf('\n', at) + 1;
  return at + character;
};

// --- Tables.
const [tables, options] = [
  process.argv.slice(2).filter((each) => !each.startsWith('--')),
  new Set(process.argv.filter((each) => each.startsWith('--'))),
];
const rows = tables.flatMap((table) =>
  readFileSync(table, 'utf8')
    .split('\n')
    .map((l) => l.replace(/(^|\s)#.*/, '').trim())
    .filter(Boolean)
    .map((l) => (l.startsWith('text ') ? l.split(/^(text)\s+|\s+\|\s+/).filter(Boolean) : l.split(/\s+/))),
);
const renamedFiles = new Map(rows.filter(([what]) => what === 'file').map(([, from, to]) => [from, to]));

// --- Declarations.
const statementsOf = (file, text) => parseSync(file, text).program.body;
const declared = (statement) => {
  const node = statement.declaration ?? statement;
  return node.type === 'VariableDeclaration'
    ? node.declarations.map((d) => ({ id: d.id, node: d }))
    : node.id
      ? [{ id: node.id, node }]
      : [];
};
const KEYED = new Set([
  'TSPropertySignature',
  'TSMethodSignature',
  'PropertyDefinition',
  'MethodDefinition',
  'AccessorProperty',
]);
const BINDING = new Set([
  'VariableDeclarator',
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'AssignmentPattern',
  'RestElement',
  'TSParameterProperty',
  'TSFunctionType',
  'TSMethodSignature',
  'ArrayPattern',
  'TSDeclareFunction',
  'CatchClause',
]);
/** Lists where a name is declared inside a syntax tree: as a member of a type, as a property of an object literal, or as a variable. */
function declaredIn(tree, name) {
  const [members, properties, bindings] = [[], [], []];
  const walk = (node, parent, key, pattern) => {
    if (!node || typeof node !== 'object') return;
    if (Array.isArray(node)) return node.forEach((each) => walk(each, parent, key, pattern));
    if (
      (node.type === 'Identifier' && node.name === name) ||
      (node.type === 'PrivateIdentifier' && `#${node.name}` === name)
    ) {
      const at = node.start;
      if (key === 'key' && !parent.computed && KEYED.has(parent.type)) members.push(at);
      else if (key === 'key' && !parent.computed && parent.type === 'Property' && !pattern && !parent.shorthand)
        properties.push(at);
      else if (key === 'value' && parent.type === 'Property' && pattern) bindings.push(at);
      else if (
        ['id', 'params', 'left', 'argument', 'parameter', 'elements', 'param'].includes(key) &&
        BINDING.has(parent.type) &&
        !(key === 'left' && !pattern && parent.type !== 'AssignmentPattern')
      )
        bindings.push(at);
    }
    const inPattern = node.type === 'ObjectPattern' || (pattern && node.type === 'Property');
    for (const [k, child] of Object.entries(node)) if (k !== 'type') walk(child, node, k, inPattern && k !== 'key');
  };
  walk(tree, {}, '', false);
  return { members, properties, bindings };
}
/** Lists the offsets at which `Name`, or `Owner.member` inside the declaration of the owner, is declared in a text: as the first of these kinds that there is. */
function declarations(file, text, name, kinds = ['members', 'properties', 'bindings']) {
  const [owner, member] = name.split('.');
  const tops = statementsOf(file, text)
    .flatMap(declared)
    .filter(({ id }) => id.name === owner);
  if (!member) return tops.slice(0, 1).map(({ id }) => id.start);
  const found = declaredIn(
    tops.map(({ node }) => node),
    member,
  );
  const kind = kinds.find((each) => found[each].length > 0);
  return kind === undefined ? [] : Object.assign(found[kind], { kind });
}
const SCOPES =
  /^(Function|ArrowFunction|TSDeclareFunction|TSFunctionType|TSMethodSignature|BlockStatement|For|CatchClause|StaticBlock)/;
/** Tells whether a variable that is declared at an offset cannot be renamed, because its scope mentions the new name already. */
function isTaken(file, text, at, to) {
  let scope = { start: 0, end: text.length };
  const walk = (node) => {
    if (!node || typeof node !== 'object') return;
    if (Array.isArray(node)) return node.forEach(walk);
    if (node.start > at || node.end <= at) return;
    if (SCOPES.test(node.type) && node.id?.start !== at) scope = node;
    for (const [k, child] of Object.entries(node)) if (k !== 'type') walk(child);
  };
  walk(statementsOf(file, text));
  return new RegExp(`(?<![.\\w#'$])${to}(?![\\w$'])(?!\\s*\\??:)|\\? ${to} :`).test(text.slice(scope.start, scope.end));
}
/** Finds the file of a line: the one that it names, or what the tables rename it to. */
function fileOf(given) {
  if (existsSync(given)) return given;
  let at = given;
  for (const [from, to] of renamedFiles) {
    const [old, now] = [from.replace(/\.ts$/, ''), to.replace(/\.ts$/, '')];
    if (at === from || at.startsWith(`${old}/`) || (old !== from && at.startsWith(`${old}.`)))
      at = now + at.slice(old.length);
  }
  return existsSync(at) ? at : undefined;
}
/** Says where else a name is exported, for a line whose file is gone. */
function whereElse(name) {
  const exported = new RegExp(
    `^export (?:async |abstract )?(?:function\\*?|class|interface|type|const|let) ${name.split('.')[0]}\\b`,
    'm',
  );
  return (
    sources()
      .filter((f) => f.startsWith('src/') && exported.test(readFileSync(f, 'utf8')))
      .join(', ') || 'nowhere'
  );
}

// --- Symbols.
function apply(edit, from, to) {
  const locals = [];
  const changes = [
    ...Object.entries(edit?.changes ?? {}),
    ...(edit?.documentChanges ?? []).filter((c) => c.edits).map((c) => [c.textDocument.uri, c.edits]),
  ];
  for (const [where, edits] of changes) {
    const file = pathOf(where);
    if (file.startsWith('node_modules')) continue;
    let text = readFileSync(file, 'utf8');
    const sorted = edits
      .map((e) => ({ start: offsetIn(text, e.range.start), end: offsetIn(text, e.range.end), text: e.newText }))
      .sort((a, b) => a.start - b.start);
    let out = '';
    let at = 0;
    for (const e of sorted) {
      out += text.slice(at, e.start) + e.text;
      at = e.end;
      if (e.text === `${to}: ${from}`) locals.push({ file, at: out.length - from.length });
      else if (e.text !== to) console.log(`  note: ${file}: ${e.text}`);
    }
    write(file, out + text.slice(at));
  }
  return { files: changes.length, locals, changed: changes.map(([where]) => pathOf(where)) };
}
/** Renames the local variable `from` at a position that a renamed member has left behind as `{ to: from }`. */
async function renameLocal({ file, at }, from, to) {
  const text = show(file);
  if (text.slice(at - to.length - 2, at + from.length) !== `${to}: ${from}`) return;
  const kept = (why) => console.log(`  kept: ${file}:${position(text, at).line + 1} { ${to}: ${from} } (${why})`);
  const { result } = await request('textDocument/definition', {
    textDocument: { uri: uri(file) },
    position: position(text, at),
  });
  const places = [result ?? []]
    .flat()
    .map((l) => ({ file: pathOf(l.uri ?? l.targetUri), range: l.range ?? l.targetSelectionRange }));
  const place = places.find((p) => p.file === file && text.slice(offsetIn(text, p.range.start)).startsWith(from));
  if (!place) return kept('declared elsewhere');
  const start = offsetIn(text, place.range.start);
  const top = statementsOf(file, text).find((s) => s.start <= start && start < s.end);
  if (top.type.startsWith('Export') && declared(top).some(({ id }) => id.start === start)) return kept('exported');
  if (top.type === 'ImportDeclaration') return kept('imported');
  if (isTaken(file, text, start, to)) return kept(`${to} is taken`);
  const renamed = await request('textDocument/rename', {
    textDocument: { uri: uri(file) },
    position: position(text, start),
    newName: to,
  });
  if (!renamed.result) return kept(renamed.error?.message ?? 'nothing to rename');
  apply(renamed.result, from, to);
}
const collapse = (file, name) => {
  const text = readFileSync(file, 'utf8');
  const short = text.replace(new RegExp(`(?<=[{,]\\s*)${name}: ${name}(?=\\s*[,}=])`, 'g'), name);
  if (short !== text) write(file, short);
};
async function renameSymbol(row) {
  const [, given, name] = row;
  const to = name.includes('#') ? `#${row[3]}` : row[3];
  const from = name.split('.').at(-1);
  const next = name.includes('.') ? `${name.split('.')[0]}.${to}` : to;
  const file = fileOf(given);
  if (!file) return miss(row, `no such file; exported in ${whereElse(name)}`);
  const has = (each) => declarations(file, readFileSync(file, 'utf8'), each).length > 0;
  if (!has(name) && has(next)) return console.log(`${name} -> ${to}: done before`);
  if (!has(name)) return miss(row, `not declared there; exported in ${whereElse(name)}`);
  const touched = new Set();
  let [text, kinds] = [show(file), undefined];
  for (let round = 0; round < 40; round++) {
    const places = declarations(file, text, name, kinds);
    const [at] = places;
    if (at === undefined) break;
    if (places.kind) kinds = [places.kind];
    const answer = await request('textDocument/rename', {
      textDocument: { uri: uri(file) },
      position: position(text, at),
      newName: to,
    });
    if (!answer.result) return miss(row, answer.error?.message ?? 'nothing to rename');
    const { files, locals, changed } = apply(answer.result, from, to);
    if (files === 0) return miss(row, 'nothing to rename');
    for (const each of changed) touched.add(each);
    if (!name.includes('.'))
      for (const each of changed.filter((f) => f.endsWith('.ts')))
        if (declaredIn(statementsOf(each, readFileSync(each, 'utf8')), to).bindings.length > (each === file ? 1 : 0))
          console.log(`  look: ${each} has a local ${to}`);
    // From the last to the first, since a rename moves what follows it.
    for (const local of locals.reverse()) await renameLocal(local, from, to);
    for (const each of touched) collapse(each, to);
    const now = readFileSync(file, 'utf8');
    if (now === text) return miss(row, 'not renamed');
    text = show(file);
    console.log(`${name} -> ${to}: ${files} files`);
  }
}

/** Renames every local or member of a name below a directory. Imported and exported names are left to `symbol`. */
async function renameAll(row) {
  if (row[0] === 'member' && !row[2].startsWith('#')) await renameAll([row[0], row[1], `#${row[2]}`, `#${row[3]}`]);
  const [what, given, from, to] = row;
  const where = fileOf(given) ?? given;
  const word = new RegExp(`(?<![\\w$])${from}(?![\\w$])`);
  let count = 0;
  for (const file of sources().filter(
    (f) => f.endsWith('.ts') && (f === where || f.startsWith(`${where}/`)) && word.test(readFileSync(f, 'utf8')),
  )) {
    const done = new Set();
    for (let round = 0; round < 200; round++) {
      const text = show(file);
      const body = statementsOf(file, text);
      const found = declaredIn(body, from);
      const tops = new Set(
        body
          .filter((s) => s.type.startsWith('Export'))
          .flatMap(declared)
          .map(({ id }) => id.start),
      );
      const at = (what === 'local' ? found.bindings.filter((o) => !tops.has(o)) : found.members).find(
        (o) => !done.has(String(o)),
      );
      if (at === undefined) break;
      const taken = what === 'local' && isTaken(file, text, at, to);
      const answer = taken
        ? { error: { message: `${to} is taken` } }
        : await request('textDocument/rename', {
            textDocument: { uri: uri(file) },
            position: position(text, at),
            newName: to,
          });
      if (!answer.result) {
        console.log(
          `  kept: ${file}:${position(text, at).line + 1} ${from} (${answer.error?.message ?? 'nothing to rename'})`,
        );
        done.add(String(at));
        continue;
      }
      const { locals, changed } = apply(answer.result, from, to);
      if (what === 'member') for (const local of locals.reverse()) await renameLocal(local, from, to);
      for (const each of changed) collapse(each, to);
      count++;
      done.clear();
    }
  }
  console.log(`${what} ${where} ${from} -> ${to}: ${count}`);
}

/** Replaces an exact text, which begins and ends where a word does. */
function replaceText(row) {
  const [, given, from, to] = row;
  const where = fileOf(given) ?? given;
  const escaped = from.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const exact = new RegExp(
    `${/^\w/.test(from) ? '(?<![\\w$])' : ''}${escaped}${/\w$/.test(from) ? '(?![\\w$])' : ''}`,
    'g',
  );
  let count = 0;
  let isDone = false;
  for (const file of sources().filter((f) => f.endsWith('.ts') && (f === where || f.startsWith(`${where}/`)))) {
    const text = readFileSync(file, 'utf8');
    const out = text.replace(exact, () => to);
    isDone ||= text.includes(to);
    if (out === text) continue;
    write(file, out);
    count++;
  }
  if (count > 0 || isDone) console.log(`${from} -> ${to}: ${count === 0 ? 'done before' : `${count} files`}`);
  else miss(row, 'not found');
}

// --- Files.
/** Expands a line to the moves of single files: a directory's, or a file's with its tests and fixtures. */
function movesOf([, from, to]) {
  if (statSync(from).isDirectory()) return git('ls-files', from).map((f) => [f, join(to, relative(from, f))]);
  const stem = basename(from, '.ts');
  const beside = git('ls-files', dirname(from)).filter(
    (f) => dirname(f) === dirname(from) && (f === from || basename(f).startsWith(`${stem}.`)),
  );
  return beside.map((f) => [f, join(dirname(to), basename(to, '.ts') + basename(f).slice(stem.length))]);
}
function renameFiles(rows) {
  const moves = new Map();
  for (const row of rows) {
    const [, from, to] = row;
    if (!existsSync(from)) {
      if (fileOf(from)) console.log(`${from} -> ${to}: done before`);
      else miss(row, 'no such file');
      continue;
    }
    const pairs = movesOf(row);
    if (pairs.length === 0) miss(row, 'not tracked by git');
    if (pairs.some(([, b]) => existsSync(b))) {
      miss(row, 'the target exists');
      continue;
    }
    for (const [a, b] of pairs) {
      mkdirSync(dirname(b), { recursive: true });
      execFileSync('git', ['mv', a, b]);
      moves.set(a, b);
    }
    for (let dir = dirname(pairs[0][0]); ; dir = dirname(dir)) {
      try {
        rmdirSync(dir);
      } catch {
        break;
      }
    }
    console.log(`${from} -> ${to}`);
  }
  if (moves.size === 0) return;
  const origin = new Map([...moves].map(([a, b]) => [b, a]));
  const final = (path) => {
    let at = path;
    while (moves.has(at)) at = moves.get(at);
    return at;
  };
  let count = 0;
  for (const file of git('ls-files', '-co', '--exclude-standard', '*.ts', '*.mjs', '*.json').filter(
    (f) => existsSync(f) && !f.endsWith('.data.json'),
  )) {
    let was = file;
    while (origin.has(was)) was = origin.get(was);
    const text = readFileSync(file, 'utf8');
    const out = text.replace(/(?<=['"`])(#[\w-]+\/[\w./-]+|\.{1,2}\/[\w./-]+|src\/[\w./-]+)(?=['"`])/g, (specifier) => {
      if (specifier.startsWith('#')) {
        const path = `src/${specifier.slice(1)}.ts`;
        return final(path) === path ? specifier : `#${final(path).slice(4, -3)}`;
      }
      if (specifier.startsWith('src/')) return final(specifier);
      const path = posix.normalize(posix.join(dirname(was), specifier));
      if (was === file && final(path) === path) return specifier;
      if (!existsSync(final(path))) return specifier;
      const now = posix.relative(dirname(file), final(path));
      return now.startsWith('.') ? now : `./${now}`;
    });
    if (out !== text) {
      writeFileSync(file, out);
      count++;
    }
  }
  console.log(`${moves.size} files moved, imports in ${count} files`);
}

// --- All of it.
const files = [];
for (const row of rows) {
  if (row[0] === 'file') files.push(row);
  else if (options.has('--files')) continue;
  else if (files.length) miss(row, 'files come last');
  else if (row[0] === 'symbol') await renameSymbol(row);
  else if (row[0] === 'local' || row[0] === 'member') await renameAll(row);
  else if (row[0] === 'text') replaceText(row);
  else miss(row, 'begins with none of symbol, local, member, text, file');
}
if (!options.has('--symbols')) renameFiles(files);
server.kill();
process.exit(missed ? 1 : 0);
