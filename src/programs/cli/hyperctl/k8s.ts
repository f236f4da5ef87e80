import { type Command, Option } from 'commander';
import type { KubeObject } from '#platform/kube/kube-object';
import { CheckedCommand, type Given } from '../checked-command.ts';
import { withConnectionFlags } from '../connection.ts';
import { readTextFile } from '../manifest-files.ts';
import { assertValid } from '../objects/assert-valid.ts';
import { FLAGS, type FlagName } from '../objects/flags.ts';
import { formatManifest } from '../objects/format-manifest.ts';
import { deleteStored, getStored, listStored } from '../objects/kind-commands.ts';
import { listSnapshots, SNAPSHOTS } from '../snapshot/command.ts';
import { TEMPLATES } from '../template/command.ts';
import { describeVms } from '../vm/describe.ts';
import { showVms } from '../vm/list.ts';
import type { VmDeps } from '../vm-deps.ts';
import { applyAndWait } from './apply-and-wait.ts';
import type { CallFlags } from './call.ts';
import { MANIFESTS, type Manifest } from './manifests.ts';
import { offersOf } from './offers.ts';
import { type CallName, contradictions, formatOperations, OPERATIONS } from './operations.ts';
import { showHyperctlStatus } from './status.ts';
import { isRequested, promptForFlags } from './wizard.ts';

type Run = (parts: VmDeps, command: Command, flags: CallFlags) => Promise<void>;

/** Builds `hyperctl k8s -op OPERATION`, which handles HyperSDK's calls. */
export function k8sCommand(parts: VmDeps): Command {
  const command = withConnectionFlags(new CheckedCommand('k8s'))
    .description('work with VMs, templates and snapshots: operations that change something print an object to apply')
    .addOption(
      new Option('--op <operation>', 'operation to run').choices(Object.keys(OPERATIONS)).makeOptionMandatory(),
    );
  for (const flag of Object.values(FLAGS)) command.addOption(flag());
  return command
    .refuses((flags: CallFlags, given: Given) => contradictionsOf(parts, flags, given))
    .addHelpText('after', `\n${formatOperations()}`)
    .action(async (_flags, self: Command) => {
      const flags = self.optsWithGlobals<CallFlags & { readonly op: CallName }>();
      await (READING[flags.op] ?? printOrApply)(parts, self, flags);
    });
}

function contradictionsOf({ io }: VmDeps, { op, output, vm, namespace }: CallFlags, given: Given): string[] {
  // The choices of -op reject an unknown operation.
  if (op === undefined || !(op in OPERATIONS)) return [];
  const said = (Object.keys(FLAGS) as FlagName[]).filter(given);
  const name = op as CallName;
  const isAsking = name === 'vm-create' && vm === undefined && io.ask !== undefined;
  const forms = name in MANIFESTS ? ['yaml', 'json'] : name === 'status' ? ['table', 'yaml', 'json'] : undefined;
  const isOdd = output !== undefined && forms?.includes(output) === false;
  return [
    ...contradictions(name, isAsking ? [...said, 'vm'] : said),
    // An unset variable of a script must not select another namespace.
    ...(namespace === '' ? ['-namespace must not be empty.'] : []),
    ...(isOdd ? [`${name} prints ${forms?.join(' or ') ?? ''}, not ${output}.`] : []),
  ];
}

const READING: Partial<Record<CallName, Run>> = {
  'vm-list': (parts, command) => showVms(parts, command, []),
  'vm-get': (parts, command, { vm = '' }) => showVms(parts, command, [vm]),
  'vm-describe': (parts, command, { vm = '' }) => describeVms(parts, command, [vm]),
  'vm-snapshot-list': (parts, command, flags) => listSnapshots(parts, command, flags),
  'vm-snapshot-delete': (parts, command, { snapshot = '' }) =>
    deleteStored(parts, command, SNAPSHOTS, [snapshot], parts.io.err),
  'template-list': (parts, command) => listStored(parts, command, TEMPLATES),
  'template-get': (parts, command, { template = '' }) => getStored(parts, command, TEMPLATES, [template]),
  status: showHyperctlStatus,
};

/** Prints the object to apply. With -wait, applies it and prints it when it has succeeded. */
const printOrApply: Run = async (parts, command, said) => {
  const { io } = parts;
  const ask = said.op === 'vm-create' && said.vm === undefined ? io.ask : undefined;
  const flags = ask === undefined ? said : await promptForFlags(ask, io.err, said, await offersOf(parts, command));
  const manifest: Manifest = MANIFESTS[flags.op as keyof typeof MANIFESTS];
  const textOf = (file: string) => readTextFile(io, file);
  const object = assertValid(manifest(flags, { random: parts.random, textOf })) as KubeObject;
  if (ask !== undefined && flags.wait !== true && (await isRequested(ask, io.err))) {
    return applyAndWait(parts, command, object, flags);
  }
  if (flags.wait === true) await applyAndWait(parts, command, object, flags);
  io.out(formatManifest(object, flags.output === 'json' ? 'json' : 'yaml'));
};
