#!/usr/bin/env node
// Lists the object literals that may still use the old name of an optional member which a table has renamed: tsc accepts such a key where the type is inferred.
// Usage, in the root of the project after the tables have run: node tools/renames/leftovers.mjs
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';

const folder = 'tools/renames';
const rows = readdirSync(folder)
  .filter((f) => f.endsWith('.table'))
  .flatMap((f) =>
    readFileSync(`${folder}/${f}`, 'utf8')
      .split('\n')
      .map((l) => l.split(/\s+/))
      .filter(([what, , name]) => what === 'symbol' && name?.includes('.')),
  );
const files = execFileSync('git', ['ls-files', '*.ts'], { encoding: 'utf8', maxBuffer: 1 << 28 })
  .split('\n')
  .filter((f) => /^(src|test|bench)\//.test(f) && existsSync(f));
const texts = files.map((f) => [f, readFileSync(f, 'utf8')]);
const literals = (type) => (type.type === 'TSTypeLiteral' ? type.members : (type.types ?? []).flatMap(literals));
const optional = new Set();
for (const [file, text] of texts)
  for (const statement of parseSync(file, text).program.body) {
    const node = statement.declaration ?? statement;
    const members =
      node.type === 'TSInterfaceDeclaration'
        ? node.body.body
        : node.type === 'TSTypeAliasDeclaration'
          ? literals(node.typeAnnotation)
          : [];
    for (const member of members)
      if (member.optional && member.key?.name) optional.add(`${node.id.name}.${member.key.name}`);
  }
for (const [, , name, to] of rows) {
  const [owner, member] = name.split('.');
  if (!optional.has(`${owner}.${to}`)) continue;
  const key = new RegExp(`(?<![.\\w'#$])${member}(: |,| \\})`);
  const left = texts.flatMap(([file, text]) =>
    text
      .split('\n')
      .flatMap((line, i) =>
        key.test(line) && line.includes('{') && !/^\s*(\*|\/)|it\(/.test(line)
          ? [`  ${file}:${i + 1} ${line.trim().slice(0, 120)}`]
          : [],
      ),
  );
  if (left.length > 0) console.log([`${owner}.${to} was ${member}:`, ...left].join('\n'));
}
