import { VMIS, type Vmi } from '#api/kubevirt/resources';
import type { Clock } from '#platform/base/clock';
import type { Context } from '#platform/runtime/controller';
import { keyIn, keyOf } from '#platform/runtime/key';
import type { Runnable } from '#platform/runtime/runnable';
import { waitForAbort } from '#platform/runtime/wait-for-abort';
import type { DependencyProvider } from '#vm/engine/dependency-provider';
import type { Usage } from '#vm/engine/metrics';
import type { OwnerVm, VmResourceGroup } from './group.ts';

/** How long a measure stands before another is taken; the schema of the status tells it. */
const ROUND_MS = 300_000;
/** No more than ten machines in a second are told to write what they use. */
const PAUSE_MS = 100;
/** A smaller change, as a share of what the machine asks for, is not worth a write. */
const WORTH = 0.1;

interface UsageDeps {
  /** What an instance that runs uses; undefined where nobody knows. */
  readonly usage: (instance: Vmi) => Usage | undefined;
  readonly clock: Clock;
}

/**
 * What machines use, as far as it is news to their status: with the first status of a run, and then from time to time
 * where it has changed. What use there is changes all the time, and a status that followed it would flood the server.
 */
export function usageRounds<M extends OwnerVm>(
  group: VmResourceGroup<M>,
  { usage, clock }: UsageDeps,
): { provider: DependencyProvider<'usage'>; runnable: Runnable } {
  /** Machines whose status is to be measured anew. */
  const due = new Set<string>();
  let context: Context | undefined;

  function measured(vm: M, { cache }: Pick<Context, 'cache'>): Usage | undefined {
    const { namespace, name } = vm.metadata;
    const instance = cache(VMIS).get(keyIn(namespace, group.instanceOf(name)));
    return instance?.status?.phase === 'Running' ? usage(instance) : undefined;
  }

  const provider: DependencyProvider<'usage'> = {
    provide(object, given) {
      context = given;
      const vm = object as unknown as M;
      const key = keyOf(vm);
      const now = measured(vm, given);
      const isNews = now !== undefined && isWorthTelling(group, vm, now);
      if (!isNews) due.delete(key);
      return isNews && (due.has(key) || group.toldOf(vm) === undefined) ? now : undefined;
    },
    forget: (key) => void due.delete(key),
  };

  async function round(signal: AbortSignal): Promise<void> {
    if (context === undefined) return;
    for (const vm of [...context.cache(group.vms).all()]) {
      const now = measured(vm, context);
      if (now === undefined || !isWorthTelling(group, vm, now)) continue;
      due.add(keyOf(vm));
      context.enqueue(keyOf(vm));
      await clock.sleep(PAUSE_MS, signal);
    }
  }

  const runnable: Runnable = {
    name: `usage of ${group.vms.group}`,
    async run(signal) {
      const rounds = async () => {
        for (;;) {
          await clock.sleep(ROUND_MS, signal);
          await round(signal);
        }
      };
      await Promise.race([rounds(), waitForAbort(signal)]).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    },
  };
  return { provider, runnable };
}

function isWorthTelling<M extends OwnerVm>(group: VmResourceGroup<M>, vm: M, now: Usage): boolean {
  const told = group.toldOf(vm);
  if (told === undefined) return true;
  const all = group.sizeOf(vm);
  return (
    Math.abs(now.cpuCores - told.cpuCores) / all.cpuCores > WORTH ||
    Math.abs(now.memoryBytes - told.memoryBytes) / all.memoryBytes > WORTH
  );
}
