import type { Command } from 'commander';
import { virtualMachine as hypersdk, type VirtualMachine } from '#api/hypersdk/virtual-machine';
import { VMIS, type Vmi } from '#api/kubevirt/resources';
import { VimanaError } from '#platform/base/errors';
import { KubeError } from '#platform/kube/kube-error';
import { connected } from '../connection.ts';
import { FLAGS } from '../objects/flags.ts';
import { type Asked, ofInstance, type PowerFlags, runningInstance } from './asked.ts';
import type { VmParts } from './command.ts';
import { allOf, eachOf } from './each.ts';
import { findMachine, instanceOf } from './find.ts';
import { moved } from './migrate.ts';
import { operated } from './operate.ts';
import { summaryOf } from './summary.ts';
import { waitFor, withWaitFlags } from './wait.ts';

const SUBRESOURCES = '/apis/subresources.kubevirt.io/v1';
const KUBEVIRT = 'kubevirt.io';

/** `vm start|stop|restart|pause|unpause|migrate`. */
export function addPowerCommands(vm: Command, parts: VmParts): void {
  add(vm, parts, 'start', 'start machines', 'asked to start', async (asked) => {
    if (hasEnded(asked)) await operated(asked, 'start');
    else await power(asked, 'start', { running: true });
    return runs(asked);
  });
  add(vm, parts, 'stop', 'stop machines, giving their guests time to shut down', 'asked to stop', async (asked) => {
    await power(asked, 'stop', { running: false });
    return reaches(asked, ['Stopped'], 'to stop');
  });
  add(vm, parts, 'restart', 'stop machines and start them anew', 'asked to restart', async (asked) => {
    if (hasEnded(asked)) {
      await operated(asked, 'start');
      return runs(asked);
    }
    const before = await instanceOf(asked.client, asked.found);
    if (before === undefined)
      throw new VimanaError('NOT_RUNNING', `${asked.name} does not run`, { hint: `vimana vm start ${asked.name}` });
    if (asked.found.type.group === KUBEVIRT) await put(asked, `virtualmachines/${asked.name}/restart`);
    else await asked.client.delete(VMIS, before.metadata.name, { namespace: asked.namespace });
    return runsAnew(asked, before);
  });
  add(vm, parts, 'pause', 'freeze machines where they are', 'asked to pause', async (asked) => {
    await put(asked, `virtualmachineinstances/${await instanceName(asked)}/pause`);
    return paused(asked, true);
  });
  add(vm, parts, 'unpause', 'let paused machines go on', 'asked to go on', async (asked) => {
    await put(asked, `virtualmachineinstances/${await instanceName(asked)}/unpause`);
    return paused(asked, false);
  });
  const migrate = add(
    vm,
    parts,
    'migrate',
    'move running machines to other nodes: alive, simulated ones by a stop and a start where the scheduler likes',
    'asked to move',
    moved,
  );
  migrate
    .addOption(FLAGS.targetNode())
    .option('--node-selector <key=value...>', 'labels that the node must have')
    .addOption(FLAGS.bandwidth())
    .addOption(FLAGS.autoConverge())
    .addOption(FLAGS.postCopy())
    .option('--cold', 'stop the machine, and start it on the other node');
}

function add(
  vm: Command,
  parts: VmParts,
  verb: string,
  description: string,
  done: string,
  run: (asked: Asked) => Promise<() => Promise<void>>,
): Command {
  return withWaitFlags(vm.command(verb))
    .description(description)
    .argument('<name...>')
    .action((names: string[], flags: PowerFlags, command: Command) =>
      connected(parts.connect, command, async ({ client, namespace }) => {
        const { group } = command.optsWithGlobals<{ group?: string }>();
        const asked = await eachOf(parts.io, [...new Set(names)], async (given) => {
          const found = await findMachine(client, given, namespace, group);
          const { name = given } = found.machine.metadata;
          const wait = await run({ client, found, name, namespace, flags, parts });
          parts.io.out(`${name} ${done}\n`);
          return wait;
        });
        if (flags.wait === true) (await allOf(parts.io, asked.done, (wait) => wait())).finish();
        asked.finish();
      }),
    );
}

/** Whether a machine is told to run, has ended by itself, and stays down or waits: its spec says already all that it can. */
function hasEnded({ found: { type, machine } }: Asked): boolean {
  if (type.group !== hypersdk.group) return false;
  const { spec, status } = machine as unknown as VirtualMachine;
  return spec.running && status?.restarts !== undefined && status.nodeName === undefined;
}

/** KubeVirt's subresource for its own machines; for those of other groups the field that says the same. */
async function power(asked: Asked, verb: 'start' | 'stop', spec: { readonly running: boolean }): Promise<void> {
  const { client, found, name, namespace } = asked;
  if (found.type.group === KUBEVIRT) await put(asked, `virtualmachines/${name}/${verb}`);
  else
    await client.patch(found.type, name, { type: 'merge', body: { spec } }, { namespace, fieldManager: 'vimana-cli' });
}

async function put({ client, namespace }: Asked, path: string): Promise<void> {
  try {
    await client.request({ method: 'PUT', path: `${SUBRESOURCES}/namespaces/${namespace}/${path}`, body: {} });
  } catch (error) {
    throw isUnserved(error) ? unserved(error) : error;
  }
}

/** Whether nobody answers for the API group: who serves it is away, or it is not registered, of which a server says but 404. */
function isUnserved(error: unknown): error is KubeError {
  return error instanceof KubeError && (error.code === 503 || (error.code === 404 && error.reason === ''));
}

function unserved(error: KubeError): VimanaError {
  return new VimanaError('UNSERVED', `nobody serves subresources.kubevirt.io: ${error.message}`, {
    hint: 'Does the operator run, and with subresources? kubectl get apiservice v1.subresources.kubevirt.io tells. Without it, machines start and stop by spec.runStrategy.',
    cause: error,
  });
}

const instanceName = async (asked: Asked) => (await runningInstance(asked)).metadata.name;

function runs(asked: Asked): () => Promise<void> {
  return reaches(asked, ['Running'], 'to run');
}

function reaches({ client, found, name, namespace, flags, parts }: Asked, goals: readonly string[], what: string) {
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

function runsAnew(asked: Asked, before: Vmi): () => Promise<void> {
  return ofInstance(asked, before.metadata.name, 'to run again', (instance) => {
    if (instance === undefined || instance.metadata.uid === before.metadata.uid) return { at: 'Stopping' };
    const phase = instance.status?.phase ?? '';
    return phase === 'Running' ? { done: phase } : { at: phase };
  });
}

async function paused(asked: Asked, wanted: boolean): Promise<() => Promise<void>> {
  const name = await instanceName(asked);
  return ofInstance(asked, name, wanted ? 'to be paused' : 'to go on', (instance) => {
    if (instance === undefined) return { failed: 'it no longer runs' };
    const is = instance.status?.conditions?.some(({ type, status }) => type === 'Paused' && status === 'True') === true;
    const state = is ? 'Paused' : 'Running';
    return is === wanted ? { done: state } : { at: state };
  });
}
