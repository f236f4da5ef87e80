import { type Command, Option } from 'commander';
import { VM_TEMPLATES } from '#api/hypersdk/resources';
import { isFor, templateDenial, templateKey } from '#api/hypersdk/template-use';
import { type VirtualMachine, virtualMachine } from '#api/hypersdk/virtual-machine';
import { type VMTemplate, vmTemplate } from '#api/hypersdk/vm-template';
import { UsageError, VimanaError } from '#platform/base/errors';
import type { Client } from '#platform/kube/client';
import { ignoreNotFound } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { readManifest } from '#platform/kube/manifest';
import type { Kind } from '#platform/schema/kind';
import { withTemplate } from '#vm/dialects/hypersdk/template';
import { withConnection } from '../connection.ts';
import { manifestFiles, readTextFile } from '../manifest-files.ts';
import { withDefaults } from '../objects/assert-valid.ts';
import { eachOf } from '../objects/each.ts';
import { formatManifest } from '../objects/format-manifest.ts';
import type { VmDeps } from '../vm-deps.ts';
import { findVm } from './find.ts';

interface ExpandFlags {
  readonly filename?: string[];
  readonly output: 'yaml' | 'json';
}

type FindTemplate = (namespace: string, name: string) => Promise<VMTemplate | undefined>;

/** Adds `vm expand`, which prints VMs with the defaults of their template, as they would be created. */
export function addExpandCommand(vm: Command, parts: VmDeps): void {
  vm.command('expand')
    .description('show hypersdk.io VMs merged with their templates')
    .argument('[name...]')
    .option('-f, --filename <file...>', 'manifests of VMs, with or without their templates; - reads standard input')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['yaml', 'json']).default('yaml'))
    .action((names: string[], flags: ExpandFlags, command: Command) => expand(parts, command, names, flags));
}

async function expand(parts: VmDeps, command: Command, names: readonly string[], flags: ExpandFlags): Promise<void> {
  const { filename: files, output } = flags;
  if ((names.length === 0) === (files === undefined)) {
    throw new UsageError('specify either names or files', {
      hint: 'For example: vimana vm expand web, or vimana vm expand -f web.yaml',
    });
  }
  const print = (texts: readonly string[]) => parts.io.out(texts.join(output === 'yaml' ? '---\n' : ''));
  const { group, namespace: place } = command.optsWithGlobals<{ group?: string; namespace?: string }>();
  if (files !== undefined) {
    const { machines, templates } = manifestsOf(parts, files, place);
    const known: FindTemplate = async (namespace, name) =>
      templates.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
    // The cluster is queried only for templates that the files do not contain.
    const lacking = machines.some((machine) => {
      const key = templateKey(machine);
      return key !== undefined && !templates.some(({ metadata }) => `${metadata.namespace}/${metadata.name}` === key);
    });
    const all = (find: FindTemplate) => eachOf(parts.io, machines, (machine) => text(parts, machine, find, output));
    const shown = lacking
      ? await withConnection(parts.connect, command, ({ client }) =>
          all(async (namespace, name) => (await known(namespace, name)) ?? (await templateIn(client)(namespace, name))),
        )
      : await all(known);
    print(shown.done);
    return shown.finish();
  }
  await withConnection(parts.connect, command, async ({ client, namespace }) => {
    const shown = await eachOf(parts.io, names, async (name) => {
      const { type, machine } = await findVm(client, name, namespace, group);
      if (type.group !== virtualMachine.group) {
        throw new UsageError(`${name} is a VM of ${type.group}, which has no templates`);
      }
      return text(parts, machine as unknown as VirtualMachine, templateIn(client), output);
    });
    print(shown.done);
    shown.finish();
  });
}

function templateIn(client: Client): FindTemplate {
  return (namespace, name) => ignoreNotFound(client.get(VM_TEMPLATES, name, { namespace }));
}

/** Formats a VM after a line that names its template. */
async function text({ io }: VmDeps, machine: VirtualMachine, find: FindTemplate, format: ExpandFlags['output']) {
  const { apiVersion, kind } = virtualMachine;
  const { name, namespace, labels, annotations } = machine.metadata;
  const key = templateKey(machine);
  const [place = '', called = ''] = key?.split('/') ?? [];
  const template = key === undefined ? undefined : ((await find(place, called)) ?? 'missing');
  const { spec, blocked } = withTemplate(machine, template);
  if (template === 'missing') {
    throw new VimanaError('NOT_FOUND', `VMTemplate "${key}" of ${name} not found`, {
      hint: 'List templates with: vimana template list -A',
    });
  }
  const isWithheld = template !== undefined && !isFor(template, namespace);
  const why = isWithheld ? templateDenial(namespace, key ?? '') : blocked?.message;
  if (why !== undefined) io.err(`${name} cannot be started: ${why}\n`);
  const { 'kubectl.kubernetes.io/last-applied-configuration': _, ...words } = annotations ?? {};
  const metadata = {
    name,
    namespace,
    ...(labels === undefined ? {} : { labels }),
    ...(Object.keys(words).length === 0 ? {} : { annotations: words }),
  };
  const shown = formatManifest({ apiVersion, kind, metadata, spec }, format);
  const origin = template === undefined ? 'no template' : `VMTemplate ${key}, version ${template.spec.version}`;
  return format === 'yaml' ? `# ${namespace}/${name} with ${origin}\n${shown}` : shown;
}

/** Reads the VMs and templates in files as they would be stored. */
function manifestsOf({ io }: VmDeps, files: readonly string[], namespace: string | undefined) {
  const objects = files
    .flatMap((file) => manifestFiles(io, file))
    .flatMap((path) => {
      const { documents, problems } = readManifest(readTextFile(io, path));
      const [problem] = problems;
      if (problem !== undefined) throw new UsageError(`${path}:${problem.line}:${problem.column}: ${problem.message}`);
      return documents.map(({ object }) => object as KubeObject);
    });
  const of = ({ group, kind }: Kind) =>
    objects
      .filter((each) => each.kind === kind && each.apiVersion.startsWith(`${group}/`))
      .map((each) => withDefaults(each, namespace));
  const machines = of(virtualMachine) as unknown as VirtualMachine[];
  if (machines.length === 0) {
    throw new UsageError(`${files.join(', ')} contains no VirtualMachine of ${virtualMachine.group}`);
  }
  return { machines, templates: of(vmTemplate) as unknown as VMTemplate[] };
}
