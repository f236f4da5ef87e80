import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RUN_STRATEGIES, type RunStrategy } from '#api/kubevirt/run-strategy';
import { seededRandom } from '#platform/base/random';
import { runs } from '#testing/runs';
import type { PowerRequest, RecordedState } from './dialect.ts';
import { desiredVm, type InstanceTraits, instanceLike, NOW, recordedState } from './instance.fixture.ts';
import { planVm, type VmAction } from './plan-vm.ts';
import { nextRecordedState } from './recorded-state.ts';

/** Simulates a VM, its instance and the components around them, without a cluster. */
class Life {
  readonly random = seededRandom('life');
  strategy: RunStrategy = 'Halted';
  /** State recorded in the status. */
  memory: RecordedState = recordedState();
  instance: InstanceTraits | undefined;
  leaving = false;
  released = false;
  now = NOW;
  made = 0;

  /** Runs the controller once. With `crash` it ends before it can write the status after its action. */
  turn(crash = false): VmAction | undefined {
    const { strategy: runStrategy, now, random } = this;
    const instance = this.instance && instanceLike(this.instance);
    const remembered = nextRecordedState(this.memory, { generation: 1, runStrategy, instance, now, random });
    const [action] = planVm({
      vm: { uid: 'vm', ...(this.leaving ? { leaving: 'with its instance' as const } : {}) },
      desired: desiredVm({ runStrategy }),
      recorded: remembered,
      instance,
      changes: { live: undefined, restart: [] },
      now,
    });
    // Shutdowns are recorded before the instance is deleted. Everything else may be lost.
    if (action?.do === 'delete' || !crash) this.memory = remembered;
    if (action?.do === 'create') {
      expect(this.instance).toBeUndefined();
      expect(this.released).toBe(false);
      this.instance = { uid: `i${++this.made}`, phase: 'Pending', ran: false };
    }
    if (action?.do === 'delete') this.instance = { ...this.instance, terminating: true };
    if (action?.do === 'release') this.released = true;
    if (action?.do === 'wait') this.now = action.until;
    return action;
  }

  /** Advances the instance by one step, successfully or not. */
  step(failing: boolean): void {
    const { instance } = this;
    if (instance === undefined) return;
    const final = instance.phase === 'Succeeded' || instance.phase === 'Failed';
    if (instance.terminating === true) {
      this.instance = final ? undefined : { ...instance, phase: 'Succeeded', reason: 'Stopped' };
    } else if (!final && failing) this.instance = { ...instance, phase: 'Failed', reason: 'GuestCrashed' };
    else if (instance.phase === 'Pending') this.instance = { ...instance, phase: 'Running', ran: true };
  }

  /** Runs without failures until nothing is left to do. */
  settle(): void {
    for (let turn = 0; turn < 40; turn++) {
      this.turn();
      this.step(false);
    }
  }
}

type Incident =
  | {
      readonly what:
        | 'turn'
        | 'crash'
        | 'step'
        | 'fail'
        | 'guest ends'
        | 'somebody deletes the instance'
        | 'time passes';
    }
  | { readonly what: 'strategy'; readonly strategy: RunStrategy }
  | { readonly what: 'request'; readonly action: 'start' | 'stop' | 'restart' };

const incident: fc.Arbitrary<Incident> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .constantFrom(
        'turn',
        'turn',
        'crash',
        'step',
        'step',
        'fail',
        'guest ends',
        'somebody deletes the instance',
        'time passes',
      )
      .map((what): Incident => ({ what })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...RUN_STRATEGIES).map((strategy): Incident => ({ what: 'strategy', strategy })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('start', 'stop', 'restart').map((action): Incident => ({ what: 'request', action })),
  },
);

function happens(life: Life, incident: Incident): void {
  const { instance } = life;
  switch (incident.what) {
    case 'turn':
      life.turn();
      return;
    case 'crash':
      life.turn(true);
      return;
    case 'step':
      life.step(false);
      return;
    case 'fail':
      life.step(true);
      return;
    case 'guest ends':
      if (instance?.phase === 'Running') life.instance = { ...instance, phase: 'Succeeded', reason: 'GuestShutdown' };
      return;
    case 'somebody deletes the instance':
      if (instance !== undefined) life.instance = { ...instance, terminating: true };
      return;
    case 'time passes':
      life.now += 20_000;
      return;
    case 'strategy':
      life.strategy = incident.strategy;
      return;
    case 'request':
      life.memory = { ...life.memory, requests: requestsFor(incident.action, instance) };
  }
}

function requestsFor(action: 'start' | 'stop' | 'restart', instance: InstanceTraits | undefined): PowerRequest[] {
  const stop: PowerRequest[] = instance?.uid === undefined ? [] : [{ action: 'Stop', uid: instance.uid }];
  if (action === 'stop') return stop;
  return action === 'restart' ? [...stop, { action: 'Start' }] : [{ action: 'Start' }];
}

describe('a VM, whatever happens,', () => {
  const lived = (incidents: readonly Incident[]) => {
    const life = new Life();
    for (const each of incidents) happens(life, each);
    return life;
  };

  it('has at most one instance, and converges to its run strategy', () => {
    fc.assert(
      fc.property(fc.array(incident, { maxLength: 60 }), (incidents) => {
        const life = lived(incidents);
        life.settle();
        expect(life.turn(), 'nothing is left to do').toBeUndefined();
        const phase = life.instance?.phase;
        if (life.strategy === 'Always') expect(phase).toBe('Running');
        if (life.strategy === 'Halted') expect(phase).toBeUndefined();
        if (life.strategy === 'Once') expect(phase).toBeDefined();
        if (life.strategy === 'RerunOnFailure') expect([undefined, 'Running']).toContain(phase);
        expect(life.memory.requests.filter(({ action }) => action === 'Stop')).toEqual([]);
        if (life.strategy !== 'Halted') expect(life.memory.requests).toEqual([]);
      }),
      { numRuns: runs(500) },
    );
  });

  it('is deleted with its instance', () => {
    fc.assert(
      fc.property(fc.array(incident, { maxLength: 40 }), (incidents) => {
        const life = lived(incidents);
        life.leaving = true;
        life.settle();
        expect(life.released).toBe(true);
        expect(life.instance).toBeUndefined();
      }),
    );
  });

  it('runs again after a failure under RerunOnFailure, even if the controller crashes in between', () => {
    const life = lived([
      { what: 'strategy', strategy: 'RerunOnFailure' },
      { what: 'turn' },
      { what: 'step' },
      { what: 'turn' },
    ]);
    expect(life.instance?.phase).toBe('Running');
    life.step(true);
    life.turn(true);
    life.settle();
    expect(life.instance).toMatchObject({ uid: 'i2', phase: 'Running' });
  });

  it.each(['Always', 'RerunOnFailure'] as const)('runs again from %s by Halted to RerunOnFailure', (strategy) => {
    const life = lived([{ what: 'strategy', strategy }]);
    life.settle();
    life.strategy = 'Halted';
    life.settle();
    expect(life.instance).toBeUndefined();
    life.strategy = 'RerunOnFailure';
    life.settle();
    expect(life.instance).toMatchObject({ uid: 'i2', phase: 'Running' });
    happens(life, { what: 'guest ends' });
    life.settle();
    expect(life.instance).toBeUndefined();
    expect(life.made).toBe(2);
  });

  it('runs again under RerunOnFailure even if it is still stopping', () => {
    const life = lived([{ what: 'strategy', strategy: 'RerunOnFailure' }]);
    life.settle();
    life.strategy = 'Halted';
    life.turn();
    expect(life.instance?.terminating).toBe(true);
    life.strategy = 'RerunOnFailure';
    life.settle();
    expect(life.instance).toMatchObject({ uid: 'i2', phase: 'Running' });
  });

  it('runs once for one start request, even if the controller crashes in between', () => {
    const life = lived([
      { what: 'strategy', strategy: 'Manual' },
      { what: 'request', action: 'start' },
      { what: 'crash' },
    ]);
    life.step(false);
    happens(life, { what: 'guest ends' });
    life.settle();
    expect(life.made).toBe(1);
  });
});
