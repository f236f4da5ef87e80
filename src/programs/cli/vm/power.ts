import type { Command } from 'commander';
import { VMIS, type Vmi } from '#api/kubevirt/resources';
import { VimanaError } from '#platform/base/errors';
import { KubeError } from '#platform/kube/kube-error';
import type { Kind, ObjectOf } from '#platform/schema/kind';
import { dialectOf } from '#vm/dialects/dialect-of';
import { withConnection } from '../connection.ts';
import { allOf, eachOf } from '../objects/each.ts';
import { FLAGS } from '../objects/flags.ts';
import { waitFor, withWaitFlags } from '../objects/wait.ts';
import type { VmDeps } from '../vm-deps.ts';
import { findVm, instanceOf } from './find.ts';
import { migrateVm } from './migrate.ts';
import { runOperation } from './operate.ts';
import { type PowerFlags, type PowerTarget, runningInstance, waitForInstance } from './power-target.ts';
import { summaryOf } from './summary.ts';

const SUBRESOURCES = '/apis/subresources.kubevirt.io/v1';

/** Adds `vm start|stop|restart|pause|unpause|migrate`. */
export function addPowerCommands(vm: Command, parts: VmDeps): void {
  add(vm, parts, 'start', 'start VMs', 'start requested', async (target) => {
    if (hasEnded(target)) await runOperation(target, 'start');
    else await power(target, 'start');
    return waitUntilRunning(target);
  });
  add(vm, parts, 'stop', 'stop VMs gracefully', 'stop requested', async (target) => {
    await power(target, 'stop');
    return waitForStates(target, ['Stopped'], 'to stop');
  });
  add(vm, parts, 'restart', 'restart VMs', 'restart requested', async (target) => {
    if (hasEnded(target)) {
      await runOperation(target, 'start');
      return waitUntilRunning(target);
    }
    const before = await instanceOf(target.client, target.found);
    if (before === undefined)
      throw new VimanaError('NOT_RUNNING', `${target.name} is not running`, { hint: `vimana vm start ${target.name}` });
    if (hasSubresources(target)) await putSubresource(target, `virtualmachines/${target.name}/restart`);
    else await target.client.delete(VMIS, before.metadata.name, { namespace: target.namespace });
    return waitForNewInstance(target, before);
  });
  add(vm, parts, 'pause', 'pause VMs', 'pause requested', async (target) => {
    await putSubresource(target, `virtualmachineinstances/${await instanceName(target)}/pause`);
    return setPaused(target, true);
  });
  add(vm, parts, 'unpause', 'unpause VMs', 'unpause requested', async (target) => {
    await putSubresource(target, `virtualmachineinstances/${await instanceName(target)}/unpause`);
    return setPaused(target, false);
  });
  const migrate = add(
    vm,
    parts,
    'migrate',
    'live-migrate VMs to other nodes (simulated VMs: stop and reschedule)',
    'migration requested',
    migrateVm,
  );
  migrate
    .addOption(FLAGS.targetNode())
    .option('--node-selector <key=value...>', 'labels that the target node must have')
    .addOption(FLAGS.bandwidth())
    .addOption(FLAGS.autoConverge())
    .addOption(FLAGS.postCopy())
    .option('--cold', 'stop the VM, and start it on the other node');
}

function add(
  vm: Command,
  parts: VmDeps,
  verb: string,
  description: string,
  done: string,
  run: (target: PowerTarget) => Promise<() => Promise<void>>,
): Command {
  return withWaitFlags(vm.command(verb))
    .description(description)
    .argument('<name...>')
    .action((names: string[], flags: PowerFlags, command: Command) =>
      withConnection(parts.connect, command, async ({ client, namespace }) => {
        const { group } = command.optsWithGlobals<{ group?: string }>();
        const target = await eachOf(parts.io, [...new Set(names)], async (given) => {
          const found = await findVm(client, given, namespace, group);
          const { name = given } = found.machine.metadata;
          const wait = await run({ client, found, name, namespace, flags, parts });
          parts.io.out(`${name}: ${done}\n`);
          return wait;
        });
        if (flags.wait === true) (await allOf(parts.io, target.done, (wait) => wait())).finish();
        target.finish();
      }),
    );
}

function hasEnded({ found: { type, machine } }: PowerTarget): boolean {
  return dialectOf(type.group).hasEnded?.(machine as unknown as ObjectOf<Kind>) === true;
}

const hasSubresources = ({ found }: PowerTarget) => dialectOf(found.type.group).powerSubresources === true;

/** Uses the subresource of VMs that have it, and the equivalent edit of the spec for others. */
async function power(target: PowerTarget, verb: 'start' | 'stop'): Promise<void> {
  const { client, found, name, namespace } = target;
  if (hasSubresources(target)) return await putSubresource(target, `virtualmachines/${name}/${verb}`);
  const edit = dialectOf(found.type.group).power(found.machine as unknown as ObjectOf<Kind>, verb, undefined);
  // In a conflict, the spec already requests this.
  const spec = edit.conflict === undefined ? (edit.spec ?? {}) : {};
  const options = { namespace, fieldManager: 'vimana-cli' };
  await client.patch(found.type, name, { type: 'merge', body: { spec } }, options);
}

async function putSubresource({ client, namespace }: PowerTarget, path: string): Promise<void> {
  try {
    await client.request({ method: 'PUT', path: `${SUBRESOURCES}/namespaces/${namespace}/${path}`, body: {} });
  } catch (error) {
    throw isNotServed(error) ? unsupportedError(error) : error;
  }
}

/**
 * Reports whether nobody serves the API group: its server is down, or it is not registered, which looks like a plain
 * 404.
 */
function isNotServed(error: unknown): error is KubeError {
  return error instanceof KubeError && (error.code === 503 || (error.code === 404 && error.reason === ''));
}

function unsupportedError(error: KubeError): VimanaError {
  return new VimanaError('UNSERVED', `subresources.kubevirt.io is not served: ${error.message}`, {
    hint: 'Check that the operator runs with subresources: kubectl get apiservice v1.subresources.kubevirt.io. Without them, start and stop VMs with spec.runStrategy.',
    cause: error,
  });
}

const instanceName = async (target: PowerTarget) => (await runningInstance(target)).metadata.name;

function waitUntilRunning(target: PowerTarget): () => Promise<void> {
  return waitForStates(target, ['Running'], 'to run');
}

function waitForStates(
  { client, found, name, namespace, flags, parts }: PowerTarget,
  goals: readonly string[],
  what: string,
) {
  return () =>
    waitFor(
      { ...parts, client },
      {
        type: found.type,
        name,
        namespace,
        machine: name,
        what: `${name} ${what}`,
        progress(machine) {
          if (machine === undefined) return { failed: 'it was deleted' };
          const { status } = summaryOf(machine, undefined);
          return goals.includes(status) ? { done: status } : { at: status };
        },
      },
      flags.timeout,
    );
}

function waitForNewInstance(target: PowerTarget, before: Vmi): () => Promise<void> {
  return waitForInstance(target, before.metadata.name, 'to run again', (instance) => {
    if (instance === undefined || instance.metadata.uid === before.metadata.uid) return { at: 'Stopping' };
    const phase = instance.status?.phase ?? '';
    return phase === 'Running' ? { done: phase } : { at: phase };
  });
}

async function setPaused(target: PowerTarget, desired: boolean): Promise<() => Promise<void>> {
  const name = await instanceName(target);
  return waitForInstance(target, name, desired ? 'to be paused' : 'to be unpaused', (instance) => {
    if (instance === undefined) return { failed: 'it is no longer running' };
    const is = instance.status?.conditions?.some(({ type, status }) => type === 'Paused' && status === 'True') === true;
    const state = is ? 'Paused' : 'Running';
    return is === desired ? { done: state } : { at: state };
  });
}
