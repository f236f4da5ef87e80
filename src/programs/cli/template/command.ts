import type { Command } from 'commander';
import { type Template, VM_TEMPLATES } from '#api/hypersdk/resources';
import { vmTemplate } from '#api/hypersdk/vm-template';
import { CheckedCommand } from '../checked-command.ts';
import { withConnection, withConnectionFlags } from '../connection.ts';
import { assertValid } from '../objects/assert-valid.ts';
import { createStored } from '../objects/create-stored.ts';
import { FLAGS } from '../objects/flags.ts';
import { getStored, listStored, type StoredKind } from '../objects/kind-commands.ts';
import { resourceName } from '../objects/output-format.ts';
import { newTemplate, type TemplateFlags } from '../objects/template.ts';
import { type WaitFlags, withWaitFlags } from '../objects/wait.ts';
import { TEMPLATE_END, waitForCompletion } from '../objects/wait-for-completion.ts';
import { withFormatFlags } from '../vm/output.ts';
import type { VmDeps } from '../vm-deps.ts';

export const TEMPLATES: StoredKind<Template> = {
  kind: vmTemplate,
  type: VM_TEMPLATES,
  many: 'templates',
};

/** Builds `vimana template`, which manages images with the defaults for VMs created from them. */
export function templateCommand(parts: VmDeps): Command {
  const template = withConnectionFlags(new CheckedCommand('template')).description('list, show and create templates');
  withFormatFlags(template.command('list'))
    .alias('ls')
    .description('list templates')
    .addOption(FLAGS.allNamespaces())
    .addOption(FLAGS.selector())
    .action((_flags, command: Command) => listStored(parts, command, TEMPLATES));
  withFormatFlags(template.command('get'))
    .description('show templates')
    .argument('<name...>')
    .action((names: string[], _flags, command: Command) => getStored(parts, command, TEMPLATES, [...new Set(names)]));
  withWaitFlags(template.command('create'))
    .description('create a template for an image')
    .argument('<name>')
    .addOption(FLAGS.image().makeOptionMandatory())
    .addOption(FLAGS.checksum())
    .addOption(FLAGS.displayName())
    .addOption(FLAGS.description())
    .addOption(FLAGS.templateVersion())
    .addOption(FLAGS.os())
    .addOption(FLAGS.distribution())
    .addOption(FLAGS.osVersion())
    .addOption(FLAGS.cpus())
    .addOption(FLAGS.memory())
    .addOption(FLAGS.disk())
    .action((name: string, flags: Omit<TemplateFlags, 'template'> & WaitFlags, command: Command) =>
      create(parts, command, { ...flags, template: name }),
    );
  return template;
}

async function create(
  parts: VmDeps,
  command: Command,
  { wait, timeout, ...flags }: TemplateFlags & WaitFlags,
): Promise<void> {
  await withConnection(parts.connect, command, async ({ client, namespace }) => {
    const made = await createStored(
      client,
      TEMPLATES.type,
      assertValid(newTemplate({ ...flags, namespace })),
      namespace,
    );
    parts.io.out(`${resourceName(made)} created\n`);
    if (wait === true)
      await waitForCompletion({ ...parts, client }, TEMPLATE_END, { name: made.metadata.name, namespace }, timeout);
  });
}
