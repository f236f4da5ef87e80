import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { violations } from './violations.ts';

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> };
const packages = new Set(Object.keys(dependencies));
const planted = (path: string, text: string) => violations([{ path, text }], packages);

describe('the import table', () => {
  it('holds in this repository', () => {
    const files = globSync('src/**/*.ts').map((path) => ({ path, text: readFileSync(path, 'utf8') }));
    expect(files.length).toBeGreaterThan(20);
    expect(violations(files, packages)).toEqual([]);
  });

  it.each([
    ['src/apiserver/server.ts', "import { Manager } from '../runtime/manager.ts';", 'apiserver may not import runtime'],
    ['src/base/clock.ts', "import type { Kind } from '../api/kind.ts';", 'base may not import api'],
    ['src/machine/plan.ts', "export * from '../dialects/kubevirt.ts';", 'machine may not import dialects'],
    ['src/machine/plan.ts', "export { a } from '../dialects/kubevirt.ts';", 'machine may not import dialects'],
    ['src/kube/client.ts', "const a = await import('../apiserver/server.ts');", 'kube may not import apiserver'],
    ['src/kube/client.ts', "const a = require('../apiserver/server.ts');", 'kube may not import apiserver'],
    ['src/kube/client.ts', "type A = import('../apiserver/server.ts').A;", 'kube may not import apiserver'],
    ['src/kube/client.ts', 'const a = await import(name);', 'only running it would tell'],
    ['src/api/kind.ts', "import { readFileSync } from 'node:fs';", 'which a browser lacks'],
    ['src/api/kind.ts', "import { readFileSync } from 'fs';", 'which a browser lacks'],
    ['src/controllers/pool/plan.ts', "import '../network/plan.ts';", 'a sibling'],
    ['src/kube/client.ts', "import '../../tools/x.ts';", 'outside src'],
    ['src/kube/client.ts', "import './client.test.ts';", 'imports the test'],
    ['src/helpers/x.ts', '', 'not in the import table'],
    ['src/base/x.ts', "export {} from '../api/kinds.ts';", 'base may not import api'],
    ['src/base/x.ts', "createRequire(import.meta.url)('../api/kinds.ts');", 'base may not import api'],
    ['src/base/x.ts', "import '/somewhere/else.ts';", 'a path of one machine'],
    ['src/base/x.mts', '', 'end in .ts'],
    ['src/base/x.ts', "import fc from 'fast-check';", 'no dependency of the product'],
    ['src/api/x.ts', "import pino from 'pino';", 'src/api uses no package'],
  ])('refuses in %s: %s', (path, text, reason) => {
    expect(planted(path, text)).toEqual([expect.stringContaining(reason)]);
  });

  it('allows what the table allows, and names inside comments and strings', () => {
    expect(planted('src/apiserver/a.ts', "import { b } from '../kube/b.ts'; // import '../runtime/x.ts'")).toEqual([]);
    expect(planted('src/kube/a.ts', 'const text = "import(\'../apiserver/server.ts\')";')).toEqual([]);
    expect(planted('src/kube/a.test.ts', "import { fakeClock } from '../testing/clock.ts';")).toEqual([]);
  });
});

describe('time and chance', () => {
  it.each([
    'Date.now()',
    'Date.now',
    'process.hrtime.bigint()',
    "globalThis['setTimeout'](f)",
    'new Date()',
    'setTimeout(f, 1)',
    'Math.random()',
    'crypto.randomUUID()',
    'Date()',
  ])('refuses %s outside src/base', (expression) => {
    expect(planted('src/kube/a.ts', `export const a = ${expression};`)).toEqual([
      expect.stringContaining('take it from src/base'),
    ]);
    expect(planted('src/base/a.ts', `export const a = ${expression};`)).toEqual([]);
  });

  it('refuses to take their sources apart', () => {
    expect(planted('src/kube/a.ts', 'const { random } = Math;')).toHaveLength(1);
  });

  it('allows a date that is given', () => {
    expect(planted('src/kube/a.ts', 'export const a = new Date(0);')).toEqual([]);
  });
});
