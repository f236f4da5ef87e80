import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readManifest } from '#platform/kube/manifest';
import { hasKubectl, Kubectl } from '../e2e/support/kubectl.ts';
import type { Target } from '../e2e/support/target.ts';

/** Returns every example of a group that has a name, as one manifest. */
function examples(group: string): { readonly text: string; readonly count: number } {
  const seen = new Set<string>();
  const items = globSync(`examples/${group}/**/*.yaml`)
    // Applying it would run a fleet of 2,000 nodes.
    .filter((file) => !file.endsWith('day.yaml'))
    .sort()
    .flatMap((file) => readManifest(readFileSync(file, 'utf8')).documents)
    .flatMap(({ object }) => {
      const { kind, metadata } = object as { kind: string; metadata: { name?: string } };
      const name = `${kind}/${metadata.name}`;
      // The same object in two examples would change from one to the other, and operations change other objects.
      if (metadata.name === undefined || seen.has(name) || kind === 'VMOperation') return [];
      seen.add(name);
      return [object];
    });
  return { text: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }), count: items.length };
}

const GROUPS = ['kubevirt', 'hypersdk', 'novacron', 'simulation'];

const WAYS = [
  { how: 'client-side', flags: [] },
  { how: 'server-side', flags: ['--server-side', '--field-manager=gitops'] },
] as const;

/**
 * Objects that are applied repeatedly from a repository never differ from the stored ones: no controller writes specs.
 */
export function noDriftJourney({ name, start }: { name: string; start: () => Promise<Target> }): void {
  describe.skipIf(!hasKubectl())(`manifests of a repository, on ${name}`, () => {
    let target: Target;
    let kubectl: Kubectl;
    beforeAll(async () => {
      target = await start();
      kubectl = new Kubectl(target.kubeconfig, target.folder);
      for (const { how } of WAYS) {
        for (const group of [...GROUPS, 'machines']) await done(['create', 'namespace', `${how}-${group}`]);
      }
    });
    afterAll(async () => await target?.stop());

    async function done(args: readonly string[], input = ''): Promise<string> {
      const { code, out, err } = await kubectl.run(args, input);
      expect([args.join(' '), code, code === 0 ? '' : `${out}${err}`]).toEqual([args.join(' '), 0, '']);
      return out;
    }

    for (const { how, flags } of WAYS) {
      it(`of running and stopped VMs show no difference, applied ${how}`, async () => {
        const of = ['--namespace', `${how}-machines`, ...flags, '-k', join('examples', 'gitops', 'machines')];
        await done(['apply', ...of]);
        const states = ['get', 'virtualmachines.kubevirt.io', '-n', `${how}-machines`];
        await vi.waitFor(
          async () => {
            const out = await done([...states, '-o', 'jsonpath={.items[*].status.printableStatus}']);
            expect(out).toBe('Stopped Running');
          },
          { timeout: 60_000, interval: 200 },
        );
        await done(['diff', ...of]);
        const again = await done(['apply', ...of]);
        if (how === 'client-side') expect(again.match(/unchanged$/gm)).toHaveLength(2);
        await done(['diff', ...of]);
      });

      it.each(GROUPS)(`of all examples of %s show no difference, applied ${how}`, async (group) => {
        const { text, count } = examples(group);
        const of = ['--namespace', `${how}-${group}`, ...flags, '-f', '-'];
        await done(['apply', ...of], text);
        // kubectl reads an object twice. A change in between, while the object starts, is not drift and does not
        // persist.
        await vi.waitFor(() => done(['diff', ...of], text), { timeout: 60_000, interval: 500 });
        const before = await versions(`${how}-${group}`, text);
        expect(before.size).toBe(count);
        // kubectl sends a list again if its items have defaults, without effect.
        await done(['apply', ...of], text);
        await vi.waitFor(() => done(['diff', ...of], text), { timeout: 60_000, interval: 500 });
        expect(await versions(`${how}-${group}`, text)).toEqual(before);
      });
    }

    /** Generation of each object, which changes with its spec. */
    async function versions(namespace: string, text: string): Promise<Map<string, number>> {
      const found = await done(['get', '-n', namespace, '-f', '-', '-o', 'json'], text);
      const { items } = JSON.parse(found) as {
        items: readonly { kind: string; metadata: { name: string; generation: number } }[];
      };
      return new Map(items.map(({ kind, metadata }) => [`${kind}/${metadata.name}`, metadata.generation]));
    }
  });
}
