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

describe('without a request, a machine', () => {
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
  it.each(cases)('that is %s and has %s', (strategy, _state, looks, expected) => {
    expect(firstAction(planVm(situation(strategy, looks)))).toBe(expected);
  });
});

describe('a request', () => {
  it.each<[RunStrategy, string, InstanceTraits | undefined, readonly PowerRequest[], ExpectedAction]>([
    ['Manual', 'to start makes an instance', undefined, [startRequest], 'create'],
    ['Manual', 'to start does nothing to one that is there', { phase: 'Running' }, [startRequest], 'nothing'],
    ['Manual', 'to stop ends the instance', { phase: 'Running' }, [stopRequest], 'delete'],
    ['Manual', 'to stop another leaves it alone', { uid: 'i2' }, [stopRequest], 'nothing'],
    ['Manual', 'to restart ends it first', { phase: 'Running' }, [stopRequest, startRequest], 'delete'],
    ['Manual', 'to restart ends one that has finished', { phase: 'Succeeded' }, [stopRequest, startRequest], 'delete'],
    ['Manual', 'that is not the first waits', undefined, [stopRequest, startRequest], 'nothing'],
    ['RerunOnFailure', 'to start makes an instance', undefined, [startRequest], 'create'],
    ['RerunOnFailure', 'to stop ends the instance', { phase: 'Running' }, [stopRequest], 'delete'],
    ['Always', 'to stop ends the instance, and another follows', { phase: 'Running' }, [stopRequest], 'delete'],
    ['Always', 'to stop one that is going needs nothing', { terminating: true }, [stopRequest], 'nothing'],
    ['Once', 'to stop ends the instance', { phase: 'Running' }, [stopRequest], 'delete'],
    ['Halted', 'to start is nothing to a machine that is to be stopped', undefined, [startRequest], 'nothing'],
  ])('of a machine that is %s %s', (strategy, _what, looks, requests, expected) => {
    const remembered = recordedState({ runStrategy: strategy, requests });
    expect(firstAction(planVm(situation(strategy, looks, { recorded: remembered })))).toBe(expected);
  });

  it('may ask for a machine that stands still', () => {
    const requests = [{ action: 'Start', data: { paused: 'true' } } as const];
    const paused = planVm(situation('Manual', undefined, { recorded: recordedState({ requests }) }));
    expect(paused).toEqual([{ do: 'create', paused: true }]);
    expect(planVm(situation('Manual', undefined, { recorded: recordedState({ requests: [startRequest] }) }))).toEqual([
      { do: 'create', paused: false },
    ]);
  });
});

describe('a machine under RerunOnFailure', () => {
  it.each<RunStrategy | undefined>([undefined, 'Halted', 'Always'])(
    'is started when it comes from %s',
    (runStrategy) => {
      const before = recordedState(runStrategy === undefined ? {} : { runStrategy });
      expect(firstAction(planVm(situation('RerunOnFailure', undefined, { recorded: before })))).toBe('create');
    },
  );
});

describe('after instances that ended before they ran', () => {
  const failure = { consecutiveFailCount: 2, lastFailedVMIUID: 'i0', retryAfterTimestamp: at(30) };
  const tried: readonly RunStrategy[] = ['Always', 'RerunOnFailure'];
  it.each(tried)('a machine that is %s waits for its time', (strategy) => {
    const before = recordedState({ startFailure: failure });
    expect(planVm(situation(strategy, undefined, { recorded: before }))).toEqual([{ do: 'wait', until: NOW + 30_000 }]);
    expect(firstAction(planVm(situation(strategy, undefined, { recorded: before, now: NOW + 30_000 })))).toBe('create');
  });
});

describe('a changed spec', () => {
  it('is tried at once, however long the last one was to wait', () => {
    const startFailure = { consecutiveFailCount: 9, lastFailedVMIUID: 'i0', retryAfterTimestamp: at(300) };
    const repaired = { vm: { uid: 'vm', changed: true }, recorded: recordedState({ startFailure }) };
    expect(firstAction(planVm(situation('Always', undefined, repaired)))).toBe('create');
  });
});

describe('an instance by the name of a machine', () => {
  it.each(['Always', 'Halted', 'Manual', 'RerunOnFailure', 'Once'] as const)(
    'is taken in where it is nobody’s (%s)',
    (strategy) => {
      expect(firstAction(planVm(situation(strategy, { owner: '' })))).toBe('adopt');
    },
  );
  it('is waited for where it is nobody’s and going', () => {
    expect(planVm(situation('Always', { owner: '', terminating: true }))).toEqual([]);
  });
  it.each(Object.keys(STATES).slice(1))('is never touched where it is another’s: %s', (state) => {
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

describe('a machine that is being deleted', () => {
  it.each<[string, InstanceTraits | undefined, 'with its instance' | 'alone', ExpectedAction]>([
    ['ends its instance', { phase: 'Running' }, 'with its instance', 'delete'],
    ['ends an instance that has finished', { phase: 'Succeeded' }, 'with its instance', 'delete'],
    ['waits for its instance', { terminating: true }, 'with its instance', 'nothing'],
    ['goes when its instance is gone', undefined, 'with its instance', 'release'],
    ['takes nothing in', { owner: '' }, 'with its instance', 'release'],
    ['goes at once where its instance stays', { phase: 'Running' }, 'alone', 'release'],
    ['makes nothing new', undefined, 'alone', 'release'],
  ])('%s', (_what, looks, leaving, expected) => {
    expect(firstAction(planVm(situation('Always', looks, { vm: { uid: 'vm', leaving } })))).toBe(expected);
  });
});

describe('a change of the spec', () => {
  const changes = { live: { ...spec, nodeSelector: { zone: 'a' } }, restart: [] };
  it('reaches a machine that runs', () => {
    expect(planVm(situation('Always', {}, { changes }))).toEqual([{ do: 'update' }]);
  });
  it('reaches it where only annotations have changed', () => {
    const reported = { live: undefined, restart: ['domain.cpu.cores'], annotations: { load: '1' } };
    expect(planVm(situation('Always', {}, { changes: reported }))).toEqual([{ do: 'update' }]);
  });
  it.each<[string, RunStrategy, InstanceTraits, ExpectedAction]>([
    ['that has ended for good', 'Once', { phase: 'Succeeded' }, 'nothing'],
    ['that is going', 'Always', { terminating: true }, 'nothing'],
    ['that is to be stopped', 'Halted', {}, 'delete'],
    ['of another', 'Always', { owner: 'somebody' }, 'nothing'],
  ])('does not reach an instance %s', (_what, strategy, looks, expected) => {
    expect(firstAction(planVm(situation(strategy, looks, { changes })))).toBe(expected);
  });
});

describe('a machine whose instance is to leave its node', () => {
  const leaving = (evacuationNodeName: string, evacuatesByRestart: boolean) => {
    const instance = instanceLike();
    const status = { ...instance.status, nodeName: 'n1', evacuationNodeName };
    return situation('Always', {}, { instance: { ...instance, status }, desired: desiredVm({ evacuatesByRestart }) });
  };
  it.each<[string, string, boolean, ExpectedAction]>([
    ['is stopped where it leaves by a restart', 'n1', true, 'delete'],
    ['is left to others where it does not', 'n1', false, 'nothing'],
    ['has left already', 'n0', true, 'nothing'],
    ['stays where nobody asks', '', true, 'nothing'],
  ])('%s', (_what, node, byRestart, expected) => {
    expect(firstAction(planVm(leaving(node, byRestart)))).toBe(expected);
  });

  it('stays for a moment, so that who asked hears of it first', () => {
    const requested = { ...leaving('n1', true), evacuationRequested: NOW };
    expect(planVm(requested)).toEqual([{ do: 'wait', until: NOW + 1_000 }]);
    expect(firstAction(planVm({ ...requested, now: NOW + 1_000 }))).toBe('delete');
  });
});

describe('a machine that cannot be started', () => {
  const blocked = { reason: 'VolumeNotFound', message: 'no volume' };
  const stuck = (strategy: RunStrategy, looks?: InstanceTraits) =>
    situation(strategy, looks, { desired: desiredVm({ runStrategy: strategy, blocked }) });
  it('is not started, and says why', () => {
    expect(planVm(stuck('Always'))).toEqual([]);
    expect(problemOf(stuck('Always'))).toEqual(blocked);
  });
  it('says nothing while it is not to be started, or runs already', () => {
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
  it('is told in the words of the instance', () => {
    expect(reported(1)).toEqual({
      reason: 'ErrImagePull',
      message: 'the VM terminated before it was running: no such image',
    });
    expect(reported(3)?.message).toBe('the VM terminated before it was running, 3 times in a row: no such image');
  });
  it('is not that of another instance', () => {
    expect(reported(1, 'i0')).toBeUndefined();
  });
});
