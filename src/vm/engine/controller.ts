import { VM_FINALIZER } from '#api/instance-request';
import { resourceTypeFor } from '#api/kubevirt/resources';
import type { NodeSize } from '#api/launcher-load';
import type { ResourceType } from '#platform/kube/client';
import type { Controller } from '#platform/runtime/controller';
import { keyIn } from '#platform/runtime/key';
import type { AddressPool } from './address-pool.ts';
import { type AdmissionRecheck, AdmissionRechecks } from './admission-recheck.ts';
import type { DependencyProviders } from './dependency-provider.ts';
import type { Dialect } from './dialect.ts';
import { DialectDependencies } from './dialect-dependencies.ts';
import { instanceWatch } from './instance-watch.ts';
import type { RolloutStrategy } from './spec-changes.ts';
import type { TransientStatusThrottle } from './transient-status-throttle.ts';
import { VmEntries } from './vm-entries.ts';
import { VmReconciler } from './vm-reconciler.ts';
import type { AnyVm } from './vm-scope.ts';
import { VmStatusReporter } from './vm-status-reporter.ts';

export interface VmControllerOptions {
  readonly dialect: Dialect;
  /** All enabled dialects, including this one. Their VMs share one address range. */
  readonly dialects: readonly Dialect[];
  readonly addresses: AddressPool;
  readonly throttle: TransientStatusThrottle;
  /** Unset if every stored object has passed admission. */
  readonly recheck?: AdmissionRecheck;
  /** Defaults to LiveUpdate. */
  readonly rollout?: RolloutStrategy;
  /** Node size that fractional VM sizes refer to if nodes differ. Defaults to 32 CPUs and 128Gi. */
  readonly referenceNode?: NodeSize;
  /** Providers of the dependencies that the dialect may request. */
  readonly providers?: DependencyProviders;
}

/** Reconciles the VirtualMachines of one API group: manages their instances and writes their status. */
export function vmController(options: VmControllerOptions): Controller<AnyVm> {
  const { dialect, dialects } = options;
  const type: ResourceType<AnyVm> = resourceTypeFor(dialect.kind);
  const { entries, dependencies, reconciler } = createReconciler(options, type);

  return {
    // Like the other controllers, it has one word as its name, which labels its metrics.
    name: `${dialect.kind.singular}.${dialect.kind.group}`,
    for: type,
    // Reconciliations mostly wait for writes, and a store commits many of them at once.
    concurrency: 256,
    isOwnWrite({ metadata }) {
      const entry = entries.find(keyIn(metadata.namespace, metadata.name));
      return entry?.ownWrites.isOwnWrite(metadata.resourceVersion) === true && !entry.endWait();
    },
    reads: [...dialects.map(({ kind }) => resourceTypeFor(kind)), ...dependencies.reads],
    watches: [instanceWatch(dialect, type, entries), ...dependencies.watches],
    async reconcile(vm, context) {
      const again = await reconciler.run(vm, context);
      return again === 'released' ? undefined : again;
    },
    finalize: {
      finalizer: VM_FINALIZER,
      async run(vm, context) {
        const again = await reconciler.run(vm, context);
        return again === 'released' ? undefined : (again ?? 'held');
      },
      lingers: (vm, context) => reconciler.linger(vm, context),
    },
    forget: (key) => entries.forget(key),
  };
}

function createReconciler(options: VmControllerOptions, type: ResourceType<AnyVm>) {
  const { dialect, dialects, addresses, throttle, rollout = 'LiveUpdate' } = options;
  const dependencies = new DialectDependencies(dialect, options.providers, options.referenceNode);
  const rechecks = new AdmissionRechecks(dialect.kind, options.recheck);
  const status = new VmStatusReporter({ dialect, type, dependencies, throttle });
  const entries = new VmEntries((key, entry) => {
    status.forget(key);
    rechecks.forget(key);
    dependencies.forget(key);
    addresses.release(entry?.uid ?? '');
  });
  const reconciler = new VmReconciler({
    dialect,
    dialects,
    type,
    rollout,
    addresses,
    entries,
    dependencies,
    rechecks,
    status,
  });
  return { entries, dependencies, reconciler };
}
