import { type Command, Option } from 'commander';
import { VM_TEMPLATES } from '#api/hypersdk/resources';
import { type VMTemplate, vmTemplate } from '#api/hypersdk/vm-template';
import { UsageError, VimanaError } from '#platform/base/errors';
import type { Client } from '#platform/kube/client';
import { ignoreNotFound } from '#platform/kube/kube-error';
import { readManifest } from '#platform/kube/manifest';
import type { CheckedCommand, Given } from '../checked-command.ts';
import { withConnection } from '../connection.ts';
import { manifestFiles, readTextFile } from '../manifest-files.ts';
import { assertServed } from '../objects/create-stored.ts';
import { allOf, eachOf } from '../objects/each.ts';
import { FLAGS } from '../objects/flags.ts';
import { FORMATS, type Format, resourceName } from '../objects/output-format.ts';
import type { ChecksumFlag, DiskFlag } from '../objects/size-flags.ts';
import { type WaitDeps, type WaitFlags, waitFor, withWaitFlags } from '../objects/wait.ts';
import type { VmDeps } from '../vm-deps.ts';
import { newVm } from './new-vm.ts';
import { formatShown } from './output.ts';
import { summaryOf } from './summary.ts';
import { type CliVm, type VmType, vmTypes } from './vm-kinds.ts';

interface CreateFlags extends WaitFlags {
  readonly filename?: string[];
  readonly cpus?: number;
  readonly memory?: string;
  readonly image?: string;
  readonly template?: string;
  readonly templateNamespace?: string;
  readonly checksum?: ChecksumFlag;
  readonly disk?: readonly DiskFlag[];
  /** Path of the user data file. */
  readonly userData?: string;
  readonly stopped?: boolean;
  readonly labels?: string[];
  readonly dryRun?: boolean;
  readonly output?: Format;
  readonly group?: string;
}

/** Adds `vm create`, which creates VMs from flags, or from files as they are. */
export function addCreateCommand(vm: CheckedCommand, parts: VmDeps): void {
  const command = vm.command('create').refuses(contradictions);
  withWaitFlags(command)
    .description('create a VM from flags, or VMs from files')
    .argument('[name]')
    .option('-f, --filename <file...>', 'manifests of VirtualMachines of any group; - reads standard input')
    .addOption(withAbout(FLAGS.cpus(), 'virtual CPUs (default: that of the template, or 1)'))
    .addOption(withAbout(FLAGS.memory(), 'memory of the guest (default: that of the template, or 1Gi)'))
    .option('--image <image>', 'image to boot from')
    .addOption(withAbout(FLAGS.template(), 'VMTemplate to create the VM from'))
    .addOption(FLAGS.templateNamespace())
    .addOption(FLAGS.checksum())
    .addOption(FLAGS.disk())
    .addOption(FLAGS.userData())
    .option('--labels <key=value...>', 'labels')
    .option('--stopped', 'create the VM without starting it')
    .option('--dry-run', 'let the server validate the VM without storing it')
    .addOption(new Option('-o, --output <format>', 'print the created objects in this format').choices(FORMATS))
    .action((name: string | undefined, flags: CreateFlags, command: Command) => create(parts, command, name, flags));
}

const ABOUT_ONE = {
  cpus: '--cpus',
  memory: '--memory',
  image: '--image',
  template: '--template',
  templateNamespace: '--template-namespace',
  checksum: '--checksum',
  disk: '--disk',
  userData: '--user-data',
  labels: '--labels',
  stopped: '--stopped',
};

/**
 * Rejects flags that contradict each other: a file describes its VMs completely, and only a stored VM can be waited
 * for.
 */
function contradictions(flags: CreateFlags, given: Given): string[] {
  const beside = Object.entries(ABOUT_ONE).flatMap(([name, flag]) => (given(name) ? [flag] : []));
  return [
    ...(given('filename') && beside.length > 0 ? [`--filename cannot be combined with ${beside.join(', ')}.`] : []),
    ...(flags.dryRun === true && flags.wait === true
      ? ['--wait cannot be used with --dry-run, which stores nothing.']
      : []),
  ];
}

async function create(parts: VmDeps, command: Command, name: string | undefined, flags: CreateFlags): Promise<void> {
  const { group } = command.optsWithGlobals<{ group?: string }>();
  if ((name === undefined) === (flags.filename === undefined)) {
    throw new UsageError('specify either a name or files', {
      hint: 'For example: vimana vm create web, or vimana vm create -f web.yaml',
    });
  }
  await withConnection(parts.connect, command, async ({ client, namespace }) => {
    const types = await vmTypes(client, undefined);
    const desired =
      name === undefined
        ? (flags.filename ?? []).flatMap((file) => machinesIn(parts, file))
        : [
            newVm({
              ...(await withSize(parts, client, namespace, { ...flags, ...(group === undefined ? {} : { group }) })),
              name,
              namespace,
              group: group ?? (flags.template === undefined ? types[0]?.group : vmTemplate.group) ?? '',
              running: flags.stopped !== true,
              labels: labelsOf(flags.labels ?? []),
            }) as CliVm,
          ];
    const made = desired.map((machine) => ({ machine, type: typeFor(types, machine) }));
    const created = await eachOf(parts.io, made, async ({ machine, type }) => {
      const result = await client.create(type, machine, {
        namespace: machine.metadata.namespace ?? namespace,
        fieldManager: 'vimana-cli',
        fieldValidation: 'Strict',
        ...(flags.dryRun === true ? { dryRun: true } : {}),
      });
      if (flags.output === undefined) {
        parts.io.out(`${resourceName(result)} created${flags.dryRun === true ? ' (dry run)' : ''}\n`);
      }
      return { machine: result, type };
    });
    if (flags.output !== undefined && created.done.length > 0) {
      const shown = created.done.map(({ machine }) => ({ machine, instance: undefined }));
      const showing = { format: flags.output, namespaces: false, managedFields: false, now: parts.clock.now() };
      parts.io.out(formatShown(shown, showing, { single: made.length === 1 }));
    }
    if (flags.wait === true && flags.dryRun !== true) {
      const settled = await allOf(parts.io, created.done, ({ machine, type }) =>
        waitForStart({ ...parts, client }, type, machine, flags.timeout),
      );
      settled.finish();
    }
    created.finish();
  });
}

/** Completes the size in the flags, which a template may suggest, and reads the user data file. */
async function withSize({ io }: VmDeps, client: Client, namespace: string, { userData: file, ...flags }: CreateFlags) {
  const { template: name, templateNamespace = namespace, group = vmTemplate.group } = flags;
  const template =
    name === undefined || group !== vmTemplate.group ? undefined : await templateNamed(client, name, templateNamespace);
  return { ...sizeFrom(flags, template), ...(file === undefined ? {} : { userData: readTextFile(io, file) }) };
}

/** Returns a template that exists: a VM whose template is misspelled would be created, and never start. */
async function templateNamed(client: Client, name: string, namespace: string): Promise<VMTemplate> {
  await assertServed(client, VM_TEMPLATES);
  const template = await ignoreNotFound(client.get(VM_TEMPLATES, name, { namespace }));
  if (template !== undefined) return template;
  const { items } = await client.list(VM_TEMPLATES, { namespace });
  const names = items.map(({ metadata }) => metadata.name);
  throw new VimanaError('NOT_FOUND', `VMTemplate "${namespace}/${name}" not found`, {
    hint:
      names.length === 0
        ? `Namespace ${namespace} has no templates. List those of all namespaces with: vimana template list -A`
        : `Namespace ${namespace} has ${names.join(', ')}. List those of all namespaces with: vimana template list -A`,
  });
}

/** Fills in missing sizes from the template, or with a small default. */
function sizeFrom<T extends Pick<CreateFlags, 'cpus' | 'memory'>>(flags: T, template: VMTemplate | undefined) {
  const { cpus = 1, memory = '1Gi' } = template?.spec.defaultSpec ?? {};
  return { ...flags, cpus: flags.cpus ?? cpus, memory: flags.memory ?? memory };
}

const withAbout = (option: Option, about: string) => {
  option.description = about;
  return option;
};

/** Waits until a VM runs, or is stopped if that is its desired state. */
export async function waitForStart(
  parts: WaitDeps,
  type: VmType,
  { metadata, spec }: CliVm,
  timeoutMs: number,
): Promise<void> {
  const { name = '', namespace = '' } = metadata;
  const { running, runStrategy } = spec ?? {};
  const goal = running === false || runStrategy === 'Halted' || runStrategy === 'Manual' ? 'Stopped' : 'Running';
  await waitFor(
    parts,
    {
      type,
      name,
      namespace,
      machine: name,
      what: `${name} to be ${goal}`,
      progress(machine) {
        if (machine === undefined) return { failed: 'it was deleted' };
        const { status } = summaryOf(machine, undefined);
        return status === goal ? { done: status } : { at: status };
      },
    },
    timeoutMs,
  );
}

function machinesIn({ io }: VmDeps, file: string): CliVm[] {
  return manifestFiles(io, file).flatMap((path) => {
    const { documents, problems } = readManifest(readTextFile(io, path));
    const [problem] = problems;
    if (problem !== undefined) {
      throw new UsageError(`${path}:${problem.line}:${problem.column}: ${problem.message}`);
    }
    return documents.map(({ object }) => object as CliVm);
  });
}

function typeFor(types: readonly VmType[], { apiVersion, kind }: CliVm): VmType {
  const group = apiVersion.split('/')[0];
  const type = types.find((each) => each.group === group);
  if (type !== undefined && kind === 'VirtualMachine') return { ...type, version: apiVersion.split('/')[1] ?? '' };
  throw new UsageError(
    `${kind || 'an object without kind'} of ${apiVersion || 'no group'} is not a VirtualMachine that the cluster serves`,
    {
      hint: `It serves VirtualMachines of ${types.map((each) => each.group).join(', ')}. Use kubectl for other kinds.`,
    },
  );
}

function labelsOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at <= 0) throw new UsageError(`--labels ${pair}: it must be key=value`);
      return [pair.slice(0, at), pair.slice(at + 1)] as const;
    }),
  );
}
