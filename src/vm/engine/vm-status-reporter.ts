import type { ResourceType } from '#platform/kube/client';
import { keyOf } from '#platform/runtime/key';
import { writeStatus } from '#platform/runtime/status';
import { CANCEL_REQUEUE, type ReconcileResult } from '#platform/runtime/work-queue';
import type { Failure } from './blocker.ts';
import type { Dialect, ObservedVm, Problem } from './dialect.ts';
import type { DialectDependencies } from './dialect-dependencies.ts';
import type { Observation } from './observe.ts';
import { transientState } from './transient-state.ts';
import type { TransientStatusThrottle } from './transient-status-throttle.ts';
import { VmEventRecorder } from './vm-event-recorder.ts';
import type { AnyVm, VmScope } from './vm-scope.ts';

export interface VmStatusReporterDeps {
  readonly dialect: Dialect;
  readonly type: ResourceType<AnyVm>;
  readonly dependencies: DialectDependencies;
  readonly throttle: TransientStatusThrottle;
}

/** Reports VMs to users: writes their status, and records their events. */
export class VmStatusReporter {
  readonly #deps: VmStatusReporterDeps;
  readonly #recorder = new VmEventRecorder();

  constructor(deps: VmStatusReporterDeps) {
    this.#deps = deps;
  }

  recordEvents(scope: VmScope, observation: Observation): void {
    this.#recorder.record(scope.vm, observation, scope.context.events, () => this.#status(scope, observation.observed));
  }

  /** Writes the status, unless the VM is in a transient state. */
  async report(scope: VmScope, observed: ObservedVm): Promise<ReconcileResult | undefined> {
    const { vm, entry, context } = scope;
    const { throttle } = this.#deps;
    const now = context.clock.monotonic();
    const problemMs = entry.transientProblemMs(observed, now);
    if (problemMs > 0) return { requeueAfterMs: problemMs };
    const key = this.#throttleKey(keyOf(vm));
    const state = transientState(vm.metadata.deletionTimestamp !== undefined, observed);
    const held = throttle.shouldHold(key);
    if (state === undefined) throttle.arrived(key);
    const requeueAfterMs = state === undefined ? 0 : throttle.delay(key, state, now);
    if (requeueAfterMs > 0) {
      entry.unreported = observed.recorded.lastShutdown ?? entry.unreported;
      return { requeueAfterMs };
    }
    await this.write(scope, observed);
    return state === undefined && held ? CANCEL_REQUEUE : undefined;
  }

  async reportProblem(scope: VmScope, observed: ObservedVm, problem: Problem): Promise<ReconcileResult | undefined> {
    this.#recorder.problem(scope.vm, problem, scope.context.events);
    return await this.report(scope, { ...observed, problem });
  }

  /** Reports a failure, and throws for the queue to retry. */
  async fail(scope: VmScope, observed: ObservedVm, { problem, error }: Failure): Promise<never> {
    if (problem !== undefined) await this.reportProblem(scope, observed, problem);
    throw error;
  }

  /** Writes the status at once. */
  async write(scope: VmScope, observed: ObservedVm): Promise<AnyVm> {
    const { vm, entry, context } = scope;
    const write = writeStatus(context.client, this.#deps.type, vm, this.#status(scope, observed));
    const written = await entry.ownWrites.during(write, () => context.enqueue(keyOf(vm)));
    if (written !== vm) entry.vmWrites.wrote(written);
    entry.unreported = undefined;
    return written;
  }

  forget(key: string): void {
    this.#deps.throttle.arrived(this.#throttleKey(key));
    this.#recorder.forget(key);
  }

  #status({ vm, context }: VmScope, observed: ObservedVm): object {
    const { dialect, dependencies } = this.#deps;
    return dialect.report(vm, observed, dependencies.of(vm, context));
  }

  /** VMs of several groups may share a name, and one throttle counts them all. */
  #throttleKey(key: string): string {
    return `${this.#deps.dialect.kind.group}/${key}`;
  }
}
