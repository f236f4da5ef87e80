import { afterAll, beforeAll } from 'vitest';
import { Kubectl } from './kubectl.ts';
import type { Target } from './target.ts';
import { words } from './words.ts';

export interface OnCluster<T extends Target> {
  /** Set while the tests of the block run. */
  readonly target: T;
  readonly kubectl: Kubectl;
  /** Runs kubectl, which must succeed, and returns its output. */
  readonly ok: (line: string, input?: string) => Promise<string>;
  /** Reads a field of an object by its path. */
  readonly field: (what: string, path: string) => Promise<string>;
}

/** Starts a cluster before the tests of a block and stops it after them. */
export function onCluster<T extends Target>(start: () => Promise<T>, withinMs = 120_000): OnCluster<T> {
  let found: { readonly target: T; readonly kubectl: Kubectl } | undefined;
  const cluster = () => {
    if (found === undefined) throw new Error('the cluster is not there yet');
    return found;
  };
  beforeAll(async () => {
    const target = await start();
    found = { target, kubectl: new Kubectl(target.kubeconfig, target.folder) };
  }, withinMs);
  afterAll(() => found?.target.stop());
  return {
    get target() {
      return cluster().target;
    },
    get kubectl() {
      return cluster().kubectl;
    },
    ok: (line, input) => cluster().kubectl.ok(line, input),
    field: (what, path) => cluster().kubectl.ok(['get', ...words(what), '-o', `jsonpath={${path}}`]),
  };
}
