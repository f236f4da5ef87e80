import { VMIS, type Vmi } from '#api/kubevirt/resources';
import type { Clock } from '#platform/base/clock';
import type { Context } from '#platform/runtime/controller';
import { keyIn, keyOf } from '#platform/runtime/key';
import type { Runnable } from '#platform/runtime/runnable';
import { waitForAbort } from '#platform/runtime/wait-for-abort';
import type { DependencyProvider } from '#vm/engine/dependency-provider';
import type { VmUsage } from '#vm/engine/metrics';
import type { OwnerVm, VmResourceGroup } from './group.ts';

/** Interval between measurements, as documented in the schema of the status. */
const ROUND_MS = 300_000;
/** Pause between VMs, so that at most ten per second are woken to write their usage. */
const PAUSE_MS = 100;
/** Ratio of the VM's request below which a change is not worth a write. */
const MIN_REPORTED_CHANGE = 0.1;

interface UsageDeps {
  /** Returns the usage of a running instance, or undefined if it is unknown. */
  readonly usage: (instance: Vmi) => VmUsage | undefined;
  readonly clock: Clock;
}

/**
 * Provides the usage of VMs for their status: with the first status of a run, and then periodically if it has changed.
 * Usage changes all the time, and a status that followed it would flood the server.
 */
export function usageRounds<M extends OwnerVm>(
  group: VmResourceGroup<M>,
  { usage, clock }: UsageDeps,
): { provider: DependencyProvider<'usage'>; runnable: Runnable } {
  /** VMs whose usage is to be measured again. */
  const due = new Set<string>();
  let context: Context | undefined;

  function measuredUsage(vm: M, { cache }: Pick<Context, 'cache'>): VmUsage | undefined {
    const { namespace, name } = vm.metadata;
    const instance = cache(VMIS).get(keyIn(namespace, group.instanceOf(name)));
    return instance?.status?.phase === 'Running' ? usage(instance) : undefined;
  }

  const provider: DependencyProvider<'usage'> = {
    provide(object, given) {
      context = given;
      const vm = object as unknown as M;
      const key = keyOf(vm);
      const now = measuredUsage(vm, given);
      const isNews = now !== undefined && isWorthReporting(group, vm, now);
      if (!isNews) due.delete(key);
      return isNews && (due.has(key) || group.reportedUsage(vm) === undefined) ? now : undefined;
    },
    forget: (key) => void due.delete(key),
  };

  async function round(signal: AbortSignal): Promise<void> {
    if (context === undefined) return;
    for (const vm of [...context.cache(group.vms).all()]) {
      const now = measuredUsage(vm, context);
      if (now === undefined || !isWorthReporting(group, vm, now)) continue;
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

function isWorthReporting<M extends OwnerVm>(group: VmResourceGroup<M>, vm: M, now: VmUsage): boolean {
  const reported = group.reportedUsage(vm);
  if (reported === undefined) return true;
  const all = group.sizeOf(vm);
  return (
    Math.abs(now.cpuCores - reported.cpuCores) / all.cpuCores > MIN_REPORTED_CHANGE ||
    Math.abs(now.memoryBytes - reported.memoryBytes) / all.memoryBytes > MIN_REPORTED_CHANGE
  );
}
