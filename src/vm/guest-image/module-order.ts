/** Kernel module: its name as modules refer to it, and its file. */
export interface KernelModule {
  readonly name: string;
  readonly data: Uint8Array;
}

/**
 * Returns the named modules and all that they depend on, in the order in which they can be loaded. A dependency that
 * `find` does not know is built into the kernel.
 */
export function loadOrder(
  names: readonly string[],
  find: (name: string) => KernelModule | undefined,
): readonly KernelModule[] {
  const ordered = new Map<string, KernelModule>();
  const visit = (name: string, needed: boolean) => {
    if (ordered.has(name)) return;
    const found = find(name);
    if (found === undefined) {
      if (needed) throw new RangeError(`the kernel has no module ${name}`);
      return;
    }
    for (const dependency of dependenciesOf(found.data)) visit(dependency, false);
    ordered.set(name, found);
  };
  for (const name of names) visit(name, true);
  return [...ordered.values()];
}

/** Returns the dependencies that a module states in its `.modinfo` section. */
function dependenciesOf(data: Uint8Array): string[] {
  const text = Buffer.from(data.buffer, data.byteOffset, data.length).toString('latin1');
  const list = /(?:^|\0)depends=([^\0]*)\0/.exec(text)?.[1] ?? '';
  return list.split(',').filter((name) => name !== '');
}
