import { type Command, Option } from 'commander';
import { withConnection } from '../connection.ts';
import { allOf, eachOf } from '../objects/each.ts';
import { resourceName } from '../objects/output-format.ts';
import { type WaitFlags, waitFor, withWaitFlags } from '../objects/wait.ts';
import type { VmDeps } from '../vm-deps.ts';
import { findVm } from './find.ts';
import { summaryOf } from './summary.ts';

interface DeleteFlags extends WaitFlags {
  readonly cascade: keyof typeof POLICIES;
}

const POLICIES = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' } as const;

/** Adds `vm delete`, which deletes the VMs that exist, and reports those that do not. */
export function addDeleteCommand(vm: Command, parts: VmDeps): void {
  withWaitFlags(vm.command('delete'))
    .description('delete VMs')
    .argument('<name...>')
    .addOption(
      new Option('--cascade <how>', 'what to do with the running instance')
        .choices(Object.keys(POLICIES))
        .default('background'),
    )
    .action((names: string[], flags: DeleteFlags, command: Command) => remove(parts, command, names, flags));
}

async function remove(parts: VmDeps, command: Command, names: readonly string[], flags: DeleteFlags): Promise<void> {
  const { group } = command.optsWithGlobals<{ group?: string }>();
  await withConnection(parts.connect, command, async ({ client, namespace }) => {
    const deleted = await eachOf(parts.io, [...new Set(names)], async (given) => {
      const found = await findVm(client, given, namespace, group);
      const { name = '', uid = '' } = found.machine.metadata;
      const propagationPolicy = POLICIES[flags.cascade];
      await client.delete(found.type, name, { namespace, propagationPolicy, preconditions: { uid } });
      parts.io.out(`${resourceName(found.machine)} deleted\n`);
      return { type: found.type, name, uid };
    });
    if (flags.wait === true) {
      const gone = await allOf(parts.io, deleted.done, ({ type, name, uid }) =>
        waitFor(
          { ...parts, client },
          {
            type,
            name,
            namespace,
            machine: name,
            what: `${name} to be deleted`,
            progress: (now) =>
              now === undefined || now.metadata.uid !== uid
                ? { done: 'deleted' }
                : { at: summaryOf(now, undefined).status },
          },
          flags.timeout,
        ),
      );
      gone.finish();
    }
    deleted.finish();
  });
}
