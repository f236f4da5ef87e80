import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Vmi, Vmim } from '#api/kubevirt/resources';
import { timestamp } from '#platform/base/timestamp';
import type { Pod } from '#platform/kube/kinds/pod';
import { runs } from '#testing/runs';
import { type MigrationAction, planMigration } from './plan-migration.ts';
import { MIGRATION_SETTINGS } from './settings.ts';
import { isMigrationFinished, type MigrationState, migrationOwnerReference } from './status.ts';

/** Simulates a migration and the node agents of both nodes, without a cluster. */

type Place = 'source' | 'target';
const NODE: Record<Place, string> = { source: 'n1', target: 'n2' };
const DELETED = '2030-01-01T00:00:00Z';

interface View {
  readonly vmim: Vmim | undefined;
  readonly vmi: Vmi;
  readonly pods: readonly Pod[];
}

const pod = (place: Place, nodeName: string, phase: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: place,
    uid: place,
    creationTimestamp: DELETED,
    ownerReferences: [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name: 'web', uid: 'u' }],
  },
  spec: { containers: [], ...(nodeName === '' ? {} : { nodeName }) },
  status: { phase },
});

class Harness {
  now = Date.parse(DELETED);
  vmim: Vmim | undefined = {
    metadata: { name: 'move', namespace: 'shop', uid: 'm', resourceVersion: '1' },
    spec: { vmiName: 'web' },
    status: { phase: 'Pending' },
  } as unknown as Vmim;
  vmi = {
    metadata: { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '1' },
    spec: { domain: { devices: {} } },
    status: { phase: 'Running', nodeName: NODE.source, activePods: { source: NODE.source } },
  } as unknown as Vmi;
  pods: readonly Pod[] = [pod('source', NODE.source, 'Running')];
  /** Location of the running machine. The driver ensures that there is only one. */
  running: Place | undefined = 'source';
  /** State of the transfer in the driver of the source. */
  transfer: 'none' | 'active' | 'done' | 'failed' = 'none';
  incoming = false;
  #views: View[] = [];
  #since = 0;
  #version = 1;

  find = (place: Place) => this.pods.find(({ metadata }) => metadata.uid === place);

  remember(): void {
    this.#views.push({ vmim: this.vmim, vmi: this.vmi, pods: this.pods });
  }

  changeVmi(status: object, metadata: object = {}): void {
    const resourceVersion = `${++this.#version}`;
    const state = { ...this.vmi.status?.migrationState, ...(status as { migrationState?: object }).migrationState };
    const known = Object.fromEntries(Object.entries(state).filter(([, value]) => value !== null));
    this.vmi = {
      ...this.vmi,
      metadata: { ...this.vmi.metadata, ...metadata, resourceVersion },
      status: { ...this.vmi.status, ...status, migrationState: known },
    };
  }

  changePod(place: Place, change: (pod: Pod) => Pod | undefined): void {
    this.pods = this.pods.flatMap((each) => (each.metadata.uid === place ? (change(each) ?? []) : each));
  }

  /** Runs the operator on its caches. Each may lag independently, but all show its own writes. */
  operate(lags: readonly number[]): void {
    const [{ vmim }, { vmi }, { pods }] = [0, 1, 2].map(
      (i) => this.#views[Math.max(this.#since, this.#views.length - 1 - (lags[i] ?? 0))] ?? this,
    ) as [View, View, View];
    if (vmim === undefined) return;
    const at = (place: Place) => pods.find(({ metadata }) => metadata.uid === place);
    // A read from the server shows whether a target is gone.
    const target =
      at('target') ?? (vmim.status?.phase === 'Pending' || isMigrationFinished(vmim) ? undefined : this.find('target'));
    const actions = planMigration(
      { vmim, vmi, target, source: at('source'), turn: true, now: this.now },
      MIGRATION_SETTINGS,
    );
    for (const action of actions) if (!this.#do(action, vmim, vmi)) return;
  }

  /** Executes an action. Returns false if the server rejects it, which ends the run. */
  #do(action: MigrationAction, vmim: Vmim, vmi: Vmi): boolean {
    const locked = this.vmi.metadata.resourceVersion === vmi.metadata.resourceVersion;
    const tell = (migrationState: MigrationState) => {
      if (locked) this.changeVmi({ migrationState });
      return locked;
    };
    switch (action.do) {
      case 'belong':
        if (this.vmim?.metadata.resourceVersion !== vmim.metadata.resourceVersion) return false;
        this.changeVmim(undefined, { ownerReferences: [migrationOwnerReference(vmi)] });
        break;
      case 'make target':
        if (this.find('target') === undefined) this.pods = [...this.pods, pod('target', '', 'Pending')];
        break;
      case 'announce':
        if (!tell(action.state)) return false;
        break;
      case 'abort':
        if (!tell({ abortRequested: true })) return false;
        break;
      case 'call off':
        if (!tell({ completed: true, failed: true, failureReason: action.failure })) return false;
        break;
      case 'remove':
        this.#remove(action.pod.metadata.uid as Place);
        break;
      case 'report':
        if (this.vmim?.metadata.resourceVersion !== vmim.metadata.resourceVersion) return false;
        this.changeVmim(action.status);
        break;
      case 'release':
        this.vmim = undefined;
        break;
      default:
        return true;
    }
    this.remember();
    this.#since = this.#views.length - 1;
    return true;
  }

  changeVmim(status: object | undefined, metadata: object = {}): void {
    if (this.vmim === undefined) return;
    const resourceVersion = `${++this.#version}`;
    const meta = { ...this.vmim.metadata, ...metadata, resourceVersion };
    this.vmim = { ...this.vmim, metadata: meta, ...(status === undefined ? {} : { status }) };
  }

  #remove(place: Place): void {
    const unbound = (this.find(place)?.spec.nodeName ?? '') === '';
    this.changePod(place, (each) =>
      unbound ? undefined : { ...each, metadata: { ...each.metadata, deletionTimestamp: DELETED } },
    );
  }

  agent(place: Place): void {
    if (place === 'source') this.#sourceAgent();
    else this.#targetAgent();
  }

  #sourceAgent(): void {
    const state = this.vmi.status?.migrationState ?? {};
    const going = this.find('source')?.metadata.deletionTimestamp !== undefined;
    if (this.vmi.status?.nodeName !== NODE.source) {
      if (going) this.changePod('source', () => undefined);
      return;
    }
    // Deleting the pod of a machine ends the machine.
    if (going && this.running === 'source') {
      this.running = undefined;
      this.transfer = this.transfer === 'active' ? 'failed' : this.transfer;
      this.changeVmi({ phase: 'Failed' });
      this.changePod('source', () => undefined);
      return;
    }
    if (state.migrationUid === undefined || state.completed === true) return;
    if (this.transfer === 'active' && state.abortRequested === true) this.transfer = 'failed';
    if (this.transfer === 'none' && state.abortRequested === true) this.transfer = 'failed';
    if (this.transfer === 'none' && state.targetNodeAddress !== undefined) {
      this.transfer = 'active';
      this.changeVmi({ migrationState: { startTimestamp: timestamp(this.now) } });
    } else if (this.transfer === 'failed') {
      this.changeVmi({ migrationState: { completed: true, failed: true } });
    } else if (this.transfer === 'done') {
      const there = { nodeName: NODE.target, activePods: { target: NODE.target } };
      this.changeVmi({ ...there, migrationState: { completed: true } });
    }
  }

  #targetAgent(): void {
    const target = this.find('target');
    const state = this.vmi.status?.migrationState ?? {};
    const over = state.completed === true || state.abortRequested === true;
    if (target === undefined || (target.spec.nodeName ?? '') === '') return;
    const home = this.vmi.status?.nodeName === NODE.target;
    if (target.metadata.deletionTimestamp !== undefined) {
      this.incoming = false;
      if (this.transfer === 'active') this.transfer = 'failed';
      // A machine that has arrived is only ended by its instance.
      if (this.running === 'target' && !home) return;
      if (this.running === 'target') {
        this.running = undefined;
        this.changeVmi({ phase: 'Failed' });
      }
      this.changePod('target', () => undefined);
      return;
    }
    this.changePod('target', (each) => ({ ...each, status: { ...each.status, phase: 'Running' } }));
    if (this.running === 'target') return;
    if (over) this.incoming = false;
    else if (state.migrationUid === 'm' && !this.incoming) {
      this.incoming = true;
      this.changeVmi({ migrationState: { targetNodeAddress: 'a' } });
    }
  }

  /** Runs the driver. The source stops before the target continues. */
  drive(succeed: boolean): void {
    if (this.transfer !== 'active') return;
    if (succeed && this.incoming && this.running === 'source') {
      this.running = 'target';
      this.incoming = false;
      this.transfer = 'done';
    } else this.transfer = 'failed';
  }
}

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ operate: fc.array(fc.nat(8), { minLength: 3, maxLength: 3 }) }) },
  { weight: 4, arbitrary: fc.record({ agent: fc.constantFrom<Place>('source', 'target') }) },
  { weight: 2, arbitrary: fc.constant({ bind: true }) },
  { weight: 2, arbitrary: fc.record({ drive: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ pass: fc.constantFrom(1, 3, 20) }) },
  { weight: 1, arbitrary: fc.record({ remove: fc.constantFrom('vmim', 'target') }) },
);

type Event = typeof step extends fc.Arbitrary<infer T> ? T : never;

function take(harness: Harness, event: Event): void {
  if ('operate' in event) harness.operate(event.operate);
  else if ('agent' in event) harness.agent(event.agent);
  else if ('drive' in event) harness.drive(event.drive);
  else if ('pass' in event) harness.now += event.pass * 60_000;
  else if ('bind' in event) {
    harness.changePod('target', (each) =>
      (each.spec.nodeName ?? '') === '' ? { ...each, spec: { ...each.spec, nodeName: NODE.target } } : each,
    );
  } else if (event.remove === 'vmim') harness.changeVmim(undefined, { deletionTimestamp: DELETED });
  else {
    const mark = (each: Pod): Pod => ({ ...each, metadata: { ...each.metadata, deletionTimestamp: DELETED } });
    harness.changePod('target', (each) => ((each.spec.nodeName ?? '') === '' ? undefined : mark(each)));
  }
}

const settling: readonly Event[] = [{ operate: [] }, { bind: true }, { agent: 'target' }, { agent: 'source' }];
const lives = fc.array(step, { maxLength: 80, size: 'max' });

describe('a migration, whatever happens,', () => {
  it('never terminates the pod in which the VM runs', () => {
    fc.assert(
      fc.property(lives, (events) => {
        const harness = new Harness();
        let requested = false;
        for (const event of events) {
          harness.remember();
          take(harness, event);
          // Somebody else may end it, which is no fault of the migration.
          requested ||= 'remove' in event && event.remove === 'target';
          if (requested) return;
          if (harness.running !== undefined) {
            expect(harness.find(harness.running)?.metadata.deletionTimestamp).toBeUndefined();
          }
          expect(harness.running).toBeDefined();
          expect(harness.vmi.status?.phase).toBe('Running');
        }
      }),
      { numRuns: runs(1000) },
    );
  });

  it('finishes, with one pod left, in which the VM runs', () => {
    fc.assert(
      fc.property(lives, fc.boolean(), (events, succeed) => {
        const harness = new Harness();
        for (const event of events) {
          harness.remember();
          take(harness, event);
        }
        for (let i = 0; i < 40; i++) {
          for (const event of settling) {
            harness.remember();
            take(harness, event);
          }
          if (i % 5 === 4) harness.drive(succeed);
        }
        expect(harness.vmim === undefined || isMigrationFinished(harness.vmim)).toBe(true);
        const { phase, nodeName } = harness.vmi.status ?? {};
        if (phase !== 'Running') return;
        expect(harness.pods.map(({ spec }) => spec.nodeName)).toEqual([nodeName]);
        expect(harness.running).toBe(nodeName === NODE.source ? 'source' : 'target');
        expect(
          harness.vmim === undefined || (harness.vmim.status?.phase === 'Succeeded') === (nodeName === NODE.target),
        ).toBe(true);
      }),
      { numRuns: runs(500) },
    );
  });
});
