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
    [
      'src/control-plane/apiserver/server.ts',
      "import { Engine } from '#vm/engine/controller';",
      'control-plane/apiserver may not import vm/engine',
    ],
    [
      'src/platform/base/clock.ts',
      "import type { Kind } from '../../api/kind.ts';",
      'platform/base may not import api',
    ],
    [
      'src/vm/engine/plan-vm.ts',
      "export * from '../dialects/kubevirt/dialect.ts';",
      'vm/engine may not import vm/dialects',
    ],
    [
      'src/vm/engine/plan-vm.ts',
      "export { a } from '../dialects/kubevirt/dialect.ts';",
      'vm/engine may not import vm/dialects',
    ],
    [
      'src/platform/kube/client.ts',
      "const a = await import('../../control-plane/apiserver/server.ts');",
      'platform/kube may not import control-plane/apiserver',
    ],
    [
      'src/platform/kube/client.ts',
      "const a = require('../../control-plane/apiserver/server.ts');",
      'platform/kube may not import control-plane/apiserver',
    ],
    [
      'src/platform/kube/client.ts',
      "type A = import('../../control-plane/apiserver/server.ts').A;",
      'platform/kube may not import control-plane/apiserver',
    ],
    ['src/platform/kube/client.ts', 'const a = await import(name);', 'imports a computed module name'],
    ['src/api/kind.ts', "import { readFileSync } from 'node:fs';", 'which a browser lacks'],
    ['src/api/kind.ts', "import { readFileSync } from 'fs';", 'which a browser lacks'],
    ['src/vm/controllers/pool/plan.ts', "import '../network/plan.ts';", 'a sibling'],
    ['src/platform/kube/client.ts', "import '../../../tools/x.ts';", 'outside src'],
    ['src/platform/kube/client.ts', "import './client.test.ts';", 'imports the test'],
    ['src/helpers/x.ts', '', 'not in the import table'],
    ['src/vm/engine/plan-vm.ts', "import { readFileSync } from 'node:fs';", 'not in NODE_USES'],
    ['src/vm/engine/plan-vm.ts', "process.getBuiltinModule('node:fs');", 'imports node:fs'],
    ['src/vm/engine/plan-vm.ts', "globalThis.process.getBuiltinModule('fs');", 'imports fs'],
    ['src/vm/engine/plan-vm.ts', 'process.getBuiltinModule(name);', 'imports a computed module name'],
    ['src/vm/engine/plan-vm.ts', 'const { getBuiltinModule } = process;', 'imports a computed module name'],
    ['src/vm/engine/plan-vm.ts', "process['getBuiltinModule'];", 'imports a computed module name'],
    [
      'src/vm/engine/plan-vm.ts',
      "import type { VirtualMachine } from '#api/hypersdk/group';",
      'vm/engine may not import kinds of the API group hypersdk',
    ],
    [
      'src/vm/view/state.ts',
      "import { vmPool } from '#api/novacron/vm-pool';",
      'vm/view may not import kinds of the API group novacron',
    ],
    ['src/platform/base/x.ts', "export {} from '../../api/kinds.ts';", 'platform/base may not import api'],
    [
      'src/platform/base/x.ts',
      "createRequire(import.meta.url)('../../api/kinds.ts');",
      'platform/base may not import api',
    ],
    ['src/platform/base/x.ts', "import '/somewhere/else.ts';", 'a path of one machine'],
    ['src/platform/base/x.mts', '', 'end in .ts'],
    ['src/platform/base/x.ts', "import fc from 'fast-check';", 'no dependency of the product'],
    ['src/api/x.ts', "import pino from 'pino';", 'api uses no package'],
  ])('rejects in %s: %s', (path, text, reason) => {
    expect(planted(path, text)).toEqual([expect.stringContaining(reason)]);
  });

  it('allows what the table allows, and names inside comments and strings', () => {
    expect(
      planted('src/control-plane/apiserver/a.ts', "import { b } from '#platform/kube/b'; // import '../runtime/x.ts'"),
    ).toEqual([]);
    expect(
      planted('src/platform/kube/a.ts', 'const text = "import(\'../../control-plane/apiserver/server.ts\')";'),
    ).toEqual([]);
    expect(planted('src/vm/engine/plan-vm.ts', "import { VMIS } from '#api/kubevirt/resources';")).toEqual([]);
    expect(planted('src/vm/engine/plan-vm.test.ts', "import '#api/hypersdk/group';")).toEqual([]);
    expect(planted('src/vm/engine/plan-vm.ts', "import type { Duplex } from 'node:stream';")).toEqual([]);
    expect(planted('src/platform/kube/a.test.ts', "import { fakeClock } from '#testing/clock';")).toEqual([]);
  });
});

describe('the check of time and randomness', () => {
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
  ])('rejects %s outside src/platform/base', (expression) => {
    expect(planted('src/platform/kube/a.ts', `export const a = ${expression};`)).toEqual([
      expect.stringContaining('take it from src/platform/base'),
    ]);
    expect(planted('src/platform/base/a.ts', `export const a = ${expression};`)).toEqual([]);
  });

  it('rejects destructuring of their sources', () => {
    expect(planted('src/platform/kube/a.ts', 'const { random } = Math;')).toHaveLength(1);
  });

  it('allows the conversion of a given date', () => {
    expect(planted('src/platform/kube/a.ts', 'export const a = new Date(0);')).toEqual([]);
  });
});
