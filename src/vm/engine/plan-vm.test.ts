import { describe, expect, it } from 'vitest';
import type { RunStrategy } from '#api/kubevirt/run-strategy';
import type { PowerRequest } from './dialect.ts';
import { at, desiredVm, type InstanceTraits, instanceLike, NOW, recordedState, spec } from './instance.fixture.ts';
import { planVm, problemOf, type VmAction, type VmSituation } from './plan-vm.ts';

const UNCHANGED = { live: undefined, restart: [] };
function situation(
  strategy: RunStrategy,
  looks: InstanceTraits | undefined,
  more: Partial<VmSituation> = {},
): VmSituation {
  return {
    vm: { uid: 'vm' },
    desired: desiredVm({ runStrategy: strategy }),
    // The VM has had this strategy before, and each test adds what is new.
    recorded: recordedState({ runStrategy: strategy }),
    instance: looks === undefined ? undefined : instanceLike(looks),
    changes: UNCHANGED,
    now: NOW,
    ...more,
  };
}
/** Returns the first action in one word. */
const firstAction = (actions: readonly VmAction[]) => actions[0]?.do ?? 'nothing';

type ExpectedAction = VmAction['do'] | 'nothing';
const STATES: Readonly<Record<string, InstanceTraits | undefined>> = {
  'no instance': undefined,
  'a new one': { phase: 'Pending' },
  'one that is placed': { phase: 'Scheduled' },
  'one that runs': { phase: 'Running' },
  'one that succeeded': { phase: 'Succeeded' },
  'one that failed': { phase: 'Failed' },
  'one that is lost with its node': { phase: 'Failed', reason: 'NodeLost' },
  'one that is going': { phase: 'Running', terminating: true },
  'one that failed and is going': { phase: 'Failed', terminating: true },
};
const startRequest: PowerRequest = { action: 'Start' };
const stopRequest: PowerRequest = { action: 'Stop', uid: 'i1' };

describe('without a request, a VM', () => {
  const table: Readonly<Record<RunStrategy, readonly ExpectedAction[]>> = {
    //              none       new        placed     runs       succeeded  failed     lost       going      failed+going
    Always: /*   */ ['create', 'nothing', 'nothing', 'nothing', 'delete', 'delete', 'delete', 'nothing', 'nothing'],
    Halted: /*   */ ['nothing', 'delete', 'delete', 'delete', 'delete', 'delete', 'delete', 'nothing', 'nothing'],
    Manual: /*   */ ['nothing', 'nothing', 'nothing', 'nothing', 'nothing', 'nothing', 'nothing', 'nothing', 'nothing'],
    RerunOnFailure: ['nothing', 'nothing', 'nothing', 'nothing', 'delete', 'delete', 'delete', 'nothing', 'nothing'],
    Once: /*     */ ['create', 'nothing', 'nothing', 'nothing', 'nothing', 'nothing', 'nothing', 'nothing', 'nothing'],
  };
  const cases = Object.entries(table).flatMap(([strategy, writer]) =>
    Object.entries(STATES).map(([state, looks], i) => [strategy as RunStrategy, state, looks, writer[i]] as const),
  );
  it.each(cases)('with the strategy %s and an instance that is %s', (strategy, _state, looks, expected) => {
    expect(firstAction(planVm(situation(strategy, looks)))).toBe(expected);
  });
});

describe('a request', () => {
  it.each<[RunStrategy, string, InstanceTraits | undefined, readonly PowerRequest[], ExpectedAction]>([
    ['Manual', 'to start creates an instance', undefined, [startRequest], 'create'],
    ['Manual', 'to start does nothing to an existing instance', { phase: 'Running' }, [startRequest], 'nothing'],
    ['Manual', 'to stop deletes the instance', { phase: 'Running' }, [stopRequest], 'delete'],
    ['Manual', 'to stop another instance does nothing', { uid: 'i2' }, [stopRequest], 'nothing'],
    ['Manual', 'to restart deletes the instance first', { phase: 'Running' }, [stopRequest, startRequest], 'delete'],
    ['Manual', 'to restart ends one that has finished', { phase: 'Succeeded' }, [stopRequest, startRequest], 'delete'],
    ['Manual', 'that is not the first waits', undefined, [stopRequest, startRequest], 'nothing'],
    ['RerunOnFailure', 'to start creates an instance', undefined, [startRequest], 'create'],
    ['RerunOnFailure', 'to stop deletes the instance', { phase: 'Running' }, [stopRequest], 'delete'],
    ['Always', 'to stop ends the instance, and another follows', { phase: 'Running' }, [stopRequest], 'delete'],
    ['Always', 'to stop one that is going needs nothing', { terminating: true }, [stopRequest], 'nothing'],
    ['Once', 'to stop deletes the instance', { phase: 'Running' }, [stopRequest], 'delete'],
    ['Halted', 'to start is nothing to a machine that is to be stopped', undefined, [startRequest], 'nothing'],
  ])('of a VM with the strategy %s %s', (strategy, _what, looks, requests, expected) => {
    const remembered = recordedState({ runStrategy: strategy, requests });
    expect(firstAction(planVm(situation(strategy, looks, { recorded: remembered })))).toBe(expected);
  });

  it('can start a VM paused', () => {
    const requests = [{ action: 'Start', data: { paused: 'true' } } as const];
    const paused = planVm(situation('Manual', undefined, { recorded: recordedState({ requests }) }));
    expect(paused).toEqual([{ do: 'create', paused: true }]);
    expect(planVm(situation('Manual', undefined, { recorded: recordedState({ requests: [startRequest] }) }))).toEqual([
      { do: 'create', paused: false },
    ]);
  });
});

describe('a VM with RerunOnFailure', () => {
  it.each<RunStrategy | undefined>([undefined, 'Halted', 'Always'])('is started after %s', (runStrategy) => {
    const before = recordedState(runStrategy === undefined ? {} : { runStrategy });
    expect(firstAction(planVm(situation('RerunOnFailure', undefined, { recorded: before })))).toBe('create');
  });
});

describe('after instances that terminated before they ran', () => {
  const failure = { consecutiveFailCount: 2, lastFailedVMIUID: 'i0', retryAfterTimestamp: at(30) };
  const tried: readonly RunStrategy[] = ['Always', 'RerunOnFailure'];
  it.each(tried)('a VM with the strategy %s waits for its back-off', (strategy) => {
    const before = recordedState({ startFailure: failure });
    expect(planVm(situation(strategy, undefined, { recorded: before }))).toEqual([{ do: 'wait', until: NOW + 30_000 }]);
    expect(firstAction(planVm(situation(strategy, undefined, { recorded: before, now: NOW + 30_000 })))).toBe('create');
  });
});

describe('a changed spec', () => {
  it('is tried at once, whatever the remaining back-off', () => {
    const startFailure = { consecutiveFailCount: 9, lastFailedVMIUID: 'i0', retryAfterTimestamp: at(300) };
    const repaired = { vm: { uid: 'vm', changed: true }, recorded: recordedState({ startFailure }) };
    expect(firstAction(planVm(situation('Always', undefined, repaired)))).toBe('create');
  });
});

describe('an instance with the name of a VM', () => {
  it.each(['Always', 'Halted', 'Manual', 'RerunOnFailure', 'Once'] as const)(
    'is adopted if it has no owner (%s)',
    (strategy) => {
      expect(firstAction(planVm(situation(strategy, { owner: '' })))).toBe('adopt');
    },
  );
  it('is waited for if it has no owner and is terminating', () => {
    expect(planVm(situation('Always', { owner: '', terminating: true }))).toEqual([]);
  });
  it.each(Object.keys(STATES).slice(1))('is never changed if it has another owner: %s', (state) => {
    const other = situation('Always', { ...STATES[state], owner: 'somebody' });
    expect(planVm(other)).toEqual([]);
    expect(planVm({ ...other, vm: { uid: 'vm', leaving: 'with its instance' } })).toEqual([{ do: 'release' }]);
    expect(problemOf(other)).toEqual({
      reason: 'InstanceOwnedByOther',
      message:
        'VirtualMachineInstance web belongs to VirtualMachine web (uid somebody) and is not managed: the VM cannot start while it exists',
    });
  });
});

describe('a terminating VM', () => {
  it.each<[string, InstanceTraits | undefined, 'with its instance' | 'alone', ExpectedAction]>([
    ['deletes its instance', { phase: 'Running' }, 'with its instance', 'delete'],
    ['deletes an instance that has terminated', { phase: 'Succeeded' }, 'with its instance', 'delete'],
    ['waits for its instance', { terminating: true }, 'with its instance', 'nothing'],
    ['is removed when its instance is deleted', undefined, 'with its instance', 'release'],
    ['does not adopt an instance', { owner: '' }, 'with its instance', 'release'],
    ['is removed at once if its instance is orphaned', { phase: 'Running' }, 'alone', 'release'],
    ['creates no instance', undefined, 'alone', 'release'],
  ])('%s', (_what, looks, leaving, expected) => {
    expect(firstAction(planVm(situation('Always', looks, { vm: { uid: 'vm', leaving } })))).toBe(expected);
  });
});

describe('a change of the spec', () => {
  const changes = { live: { ...spec, nodeSelector: { zone: 'a' } }, restart: [] };
  it('is applied to a running VM', () => {
    expect(planVm(situation('Always', {}, { changes }))).toEqual([{ do: 'update' }]);
  });
  it('is applied if only annotations have changed', () => {
    const reported = { live: undefined, restart: ['domain.cpu.cores'], annotations: { load: '1' } };
    expect(planVm(situation('Always', {}, { changes: reported }))).toEqual([{ do: 'update' }]);
  });
  it.each<[string, RunStrategy, InstanceTraits, ExpectedAction]>([
    ['that has terminated', 'Once', { phase: 'Succeeded' }, 'nothing'],
    ['that is terminating', 'Always', { terminating: true }, 'nothing'],
    ['that will be stopped', 'Halted', {}, 'delete'],
    ['of another owner', 'Always', { owner: 'somebody' }, 'nothing'],
  ])('is not applied to an instance %s', (_what, strategy, looks, expected) => {
    expect(firstAction(planVm(situation(strategy, looks, { changes })))).toBe(expected);
  });
});

describe('a VM whose instance has to leave its node', () => {
  const leaving = (evacuationNodeName: string, evacuatesByRestart: boolean) => {
    const instance = instanceLike();
    const status = { ...instance.status, nodeName: 'n1', evacuationNodeName };
    return situation('Always', {}, { instance: { ...instance, status }, desired: desiredVm({ evacuatesByRestart }) });
  };
  it.each<[string, string, boolean, ExpectedAction]>([
    ['is stopped if it evacuates by a restart', 'n1', true, 'delete'],
    ['is left to other controllers otherwise', 'n1', false, 'nothing'],
    ['is kept if it has already left', 'n0', true, 'nothing'],
    ['is kept if no evacuation is requested', '', true, 'nothing'],
  ])('%s', (_what, node, byRestart, expected) => {
    expect(firstAction(planVm(leaving(node, byRestart)))).toBe(expected);
  });

  it('waits a moment, so that the client gets its response first', () => {
    const requested = { ...leaving('n1', true), evacuationRequested: NOW };
    expect(planVm(requested)).toEqual([{ do: 'wait', until: NOW + 1_000 }]);
    expect(firstAction(planVm({ ...requested, now: NOW + 1_000 }))).toBe('delete');
  });
});

describe('a VM that cannot be started', () => {
  const blocked = { reason: 'VolumeNotFound', message: 'no volume' };
  const stuck = (strategy: RunStrategy, looks?: InstanceTraits) =>
    situation(strategy, looks, { desired: desiredVm({ runStrategy: strategy, blocked }) });
  it('is not started, and reports why', () => {
    expect(planVm(stuck('Always'))).toEqual([]);
    expect(problemOf(stuck('Always'))).toEqual(blocked);
  });
  it('reports nothing while it should not start, or runs already', () => {
    expect(problemOf(stuck('Halted'))).toBeUndefined();
    expect(problemOf(stuck('Manual'))).toBeUndefined();
    expect(problemOf(stuck('Always', {}))).toBeUndefined();
  });
});

describe('a start that failed', () => {
  const failed = { phase: 'Failed', ran: false, reason: 'ErrImagePull', message: 'no such image' } as const;
  const reported = (consecutiveFailCount: number, lastFailedVMIUID = 'i1') =>
    problemOf(
      situation('Always', failed, {
        recorded: recordedState({
          startFailure: { consecutiveFailCount, lastFailedVMIUID, retryAfterTimestamp: at(10) },
        }),
      }),
    );
  it('is reported with the message of the instance', () => {
    expect(reported(1)).toEqual({
      reason: 'ErrImagePull',
      message: 'the VM terminated before it was running: no such image',
    });
    expect(reported(3)?.message).toBe('the VM terminated before it was running, 3 times in a row: no such image');
  });
  it('is not reported for another instance', () => {
    expect(reported(1, 'i0')).toBeUndefined();
  });
});
