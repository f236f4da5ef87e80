import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TEST_SUPPORT } from '../layers/table.ts';
import { mayImportNode } from '../layers/violations.ts';
import { bundleFiles } from './bundle.ts';

it('everything outside the edges runs without Node.js', async () => {
  const files = globSync('src/**/*.ts').filter((file) => !TEST_SUPPORT.test(file) && !mayImportNode(file));
  expect(files.length).toBeGreaterThan(500);
  const { nodeImports, nodeGlobals } = await bundleFiles(files);
  expect(nodeImports).toEqual([]);
  expect(nodeGlobals).toEqual([]);
});

it('reports what needs Node.js, but not what only checks for it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-'));
  const [needs, asks] = [join(folder, 'needs.ts'), join(folder, 'asks.ts')];
  writeFileSync(
    needs,
    "import { join } from 'node:path';\nexport const a = join(process.cwd(), Buffer.from('').toString());",
  );
  writeFileSync(
    asks,
    "export const b = typeof process === 'undefined';\nexport const c = (process: string) => process;",
  );
  try {
    const { nodeImports, nodeGlobals } = await bundleFiles([needs, asks]);
    expect(nodeImports).toEqual([`node:path in ${needs}`]);
    expect(nodeGlobals.map((use) => use.split(' ')[0])).toEqual(['Buffer', 'process']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
