import type { Command } from 'commander';
import type { ResourceType } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Kind } from '#platform/schema/kind';
import { withConnection } from '../connection.ts';
import type { VmDeps } from '../vm-deps.ts';
import { assertServed, listOf } from './create-stored.ts';
import { eachOf } from './each.ts';
import { formatObjects } from './format-objects.ts';
import { type Format, resourceName } from './output-format.ts';

/** Kind that commands list, show and delete. */
export interface StoredKind<T extends KubeObject> {
  readonly kind: Kind;
  readonly type: ResourceType<T>;
  /** Plural that is shown to users. */
  readonly many: string;
}

interface ShowFlags {
  readonly output?: Format;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly showManagedFields?: boolean;
}

/** Lists the selected objects. */
export async function listStored<T extends KubeObject>(
  parts: VmDeps,
  command: Command,
  { kind, type, many }: StoredKind<T>,
  desired: (object: T) => boolean = () => true,
): Promise<void> {
  const { output: format = 'table', ...flags } = command.optsWithGlobals<ShowFlags>();
  const { allNamespaces: namespaces = false, selector, showManagedFields: managedFields = false } = flags;
  await withConnection(parts.connect, command, async ({ client, namespace }) => {
    const all = await listOf(client, type, {
      ...(namespaces ? {} : { namespace }),
      ...(selector === undefined ? {} : { labelSelector: selector }),
    });
    const found = all.filter(desired);
    if (found.length === 0 && (format === 'table' || format === 'wide')) {
      parts.io.err(`No ${many} found${namespaces ? '' : ` in namespace ${namespace}`}.\n`);
      return;
    }
    parts.io.out(
      formatObjects(found, { kind, format, namespaces, managedFields, single: false, now: parts.clock.now() }),
    );
  });
}

/** Shows the objects with the given names. */
export async function getStored<T extends KubeObject>(
  parts: VmDeps,
  command: Command,
  { kind, type }: StoredKind<T>,
  names: readonly string[],
): Promise<void> {
  const flags = command.optsWithGlobals<ShowFlags>();
  const { output: format = 'table', showManagedFields: managedFields = false } = flags;
  await withConnection(parts.connect, command, async ({ client, namespace }) => {
    await assertServed(client, type);
    const found = await eachOf(parts.io, names, (name) => client.get(type, name, { namespace }));
    const showing = { kind, format, namespaces: false, managedFields, now: parts.clock.now() };
    if (found.done.length > 0) parts.io.out(formatObjects(found.done, { ...showing, single: names.length === 1 }));
    found.finish();
  });
}

/** Deletes the objects that exist, and reports those that do not. Prints the result if requested. */
export async function deleteStored<T extends KubeObject>(
  parts: VmDeps,
  command: Command,
  { type }: StoredKind<T>,
  names: readonly string[],
  say: (text: string) => void = parts.io.out,
): Promise<void> {
  await withConnection(parts.connect, command, async ({ client, namespace }) => {
    await assertServed(client, type);
    const deleted = await eachOf(parts.io, names, async (name) => {
      const left = await client.delete(type, name, { namespace });
      const named = resourceName({ apiVersion: `${type.group}/${type.version}`, kind: type.kind, metadata: { name } });
      say(`${named} ${left === undefined ? 'deleted' : 'is being deleted'}\n`);
    });
    deleted.finish();
  });
}
