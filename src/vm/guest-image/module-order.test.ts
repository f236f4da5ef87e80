import { expect, it } from 'vitest';
import { type KernelModule, loadOrder } from './module-order.ts';

const modules =
  (dependencies: Readonly<Record<string, string>>) =>
  (name: string): KernelModule | undefined => {
    const list = dependencies[name];
    return list === undefined ? undefined : { name, data: Buffer.from(`\x7fELF\0license=GPL\0depends=${list}\0`) };
  };
const names = (found: readonly KernelModule[]) => found.map(({ name }) => name);

it('loads a module after everything that it depends on, each once', () => {
  const find = modules({ net: 'ring,failover', ring: 'core', failover: '', core: '', block: 'ring' });
  expect(names(loadOrder(['net', 'block'], find))).toEqual(['core', 'ring', 'failover', 'net', 'block']);
});

it('treats a dependency without a file as built in, but not a requested module', () => {
  expect(names(loadOrder(['net'], modules({ net: 'builtin' })))).toEqual(['net']);
  expect(() => loadOrder(['nothing'], modules({}))).toThrow('the kernel has no module nothing');
});
