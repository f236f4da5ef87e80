import { describe, expect, it } from 'vitest';
import type { Vmim } from '#api/kubevirt/resources';
import type { VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import { KubeError } from '#platform/kube/kube-error';
import type { Dialect, PowerAction, PowerEdit } from '../dialect.ts';
import { recordedGuestInfo as guestInfo } from './guest-info.ts';
import { type InstanceAction, instanceEdit } from './instance-action.ts';
import { newMigration } from './migration.ts';
import { type ActionOptions, actionOptions } from './options.ts';
import { powerEdit } from './power-edit.ts';

const instance = (phase: string, more: { spec?: object; status?: object; annotations?: object } = {}) =>
  ({
    metadata: { name: 'web', uid: 'u1', annotations: more.annotations ?? {} },
    spec: { domain: {}, ...more.spec },
    status: { phase, ...more.status },
  }) as unknown as VirtualMachineInstance;
const condition = (type: string) => ({ conditions: [{ type, status: 'True' }] });

const refusalOf = (edit: object): string | undefined => {
  const { refused: rejected } = edit as { refused?: KubeError };
  return rejected === undefined ? undefined : `${rejected.code} ${rejected.message}`;
};
const onMachine = (why: string) => `409 Operation cannot be fulfilled on virtualmachine.kubevirt.io "web": ${why}`;
const onInstance = (why: string) =>
  `409 Operation cannot be fulfilled on virtualmachineinstance.kubevirt.io "web": ${why}`;

describe('a request to a VM', () => {
  const requested: unknown[] = [];
  const dialect = (edit: PowerEdit) =>
    ({
      power: (...args: unknown[]) => {
        requested.push(args.slice(1));
        return edit;
      },
    }) as unknown as Dialect;
  const vm = { metadata: { name: 'web' } } as never;
  const runs = instance('Running');
  const ask = (
    action: PowerAction,
    edit: PowerEdit,
    vmi: typeof runs | undefined,
    options: Partial<ActionOptions> = {},
  ) => powerEdit(dialect(edit), action, vm, vmi, { dryRun: false, ...options });

  it('is decided by its dialect, with the options of the user', () => {
    expect(ask('start', { spec: { on: true } }, undefined, { paused: true })).toEqual({ spec: { on: true } });
    expect(requested.at(-1)).toEqual(['start', undefined, { paused: true }]);
    expect(ask('stop', { requests: [] }, runs, { gracePeriodSeconds: 5 })).toEqual({ requests: [] });
    expect(requested.at(-1)).toEqual(['stop', runs, { gracePeriodSeconds: 5 }]);
  });

  it('is rejected as a conflict', () => {
    expect(refusalOf(ask('start', { conflict: 'VM is already running' }, runs))).toBe(
      onMachine('VM is already running'),
    );
  });

  it('never starts a terminating VM', () => {
    const going = { metadata: { name: 'web', deletionTimestamp: '2026-01-01T00:00:00Z' } } as never;
    const of = (action: PowerAction) => powerEdit(dialect({ spec: {} }), action, going, runs, { dryRun: false });
    expect(refusalOf(of('start'))).toBe(onMachine('VM is being deleted'));
    expect(refusalOf(of('restart'))).toBe(onMachine('VM is being deleted'));
    expect(of('stop')).toEqual({ spec: {} });
  });

  it('restarts a running VM immediately if no delay is given', () => {
    const edit = { requests: [] };
    expect(ask('restart', edit, runs, { gracePeriodSeconds: 0 })).toEqual({ ...edit, gracePeriodSeconds: 0 });
    expect(ask('restart', edit, instance('Failed'), { gracePeriodSeconds: 0 })).toEqual(edit);
    expect(ask('restart', edit, runs)).toEqual(edit);
    const rejected = '400 For force restart, only gracePeriod=0 is supported for now';
    expect(refusalOf(ask('restart', edit, runs, { gracePeriodSeconds: 9 }))).toBe(rejected);
  });
});

describe('a request to an instance', () => {
  const paused = instance('Running', { status: condition('Paused') });
  const agent = instance('Running', { status: condition('AgentConnected') });
  const off = { domain: { features: { acpi: { enabled: false } } } };
  const requested = (value: string, more: object = {}) =>
    instance('Running', { annotations: { 'vimana.io/paused': value }, ...more });

  it.each<[InstanceAction, string, VirtualMachineInstance, object | string]>([
    ['pause', 'one that runs', instance('Running'), { 'vimana.io/paused': 'true' }],
    ['pause', 'one that does not', instance('Scheduled'), onInstance('VM is not running')],
    ['pause', 'one that stands still', paused, onInstance('VMI is already paused')],
    ['pause', 'one that was just asked to', requested('true'), onInstance('VMI is already paused')],
    [
      'pause',
      'one that is about to go on',
      requested('false', { status: condition('Paused') }),
      { 'vimana.io/paused': 'true' },
    ],
    [
      'pause',
      'one that is watched',
      instance('Running', { spec: { livenessProbe: {} } }),
      '403 virtualmachineinstance.kubevirt.io "web" is forbidden: Pausing VMIs with LivenessProbe is currently not supported',
    ],
    [
      'pause',
      'one that moves',
      instance('Running', { status: { migrationState: { migrationUid: 'm' } } }),
      onInstance("Cannot pause VM 'web' because it is currently being migrated"),
    ],
    [
      'pause',
      'an instance that has migrated',
      instance('Running', { status: { migrationState: { migrationUid: 'm', completed: true } } }),
      { 'vimana.io/paused': 'true' },
    ],
    ['unpause', 'one that stands still', paused, { 'vimana.io/paused': 'false' }],
    ['unpause', 'one that was just asked to', requested('true'), { 'vimana.io/paused': 'false' }],
    ['unpause', 'one that runs', instance('Running'), onInstance('VMI is not paused')],
    ['unpause', 'one that has ended', instance('Failed'), onInstance('VMI is not running')],
    ['reset', 'one that runs', instance('Running'), { 'vimana.io/reset': 'id' }],
    ['reset', 'one that does not', instance('Pending'), onInstance('VMI is not running')],
    ['softreboot', 'one that runs', instance('Running'), { 'vimana.io/soft-reboot': 'id' }],
    ['softreboot', 'one that stands still', paused, onInstance('VMI is paused')],
    [
      'softreboot',
      'one that nobody can ask',
      instance('Running', { spec: off }),
      onInstance('VMI neither have the agent connected nor the ACPI feature enabled'),
    ],
    [
      'softreboot',
      'one that its agent can ask',
      instance('Running', { spec: off, status: condition('AgentConnected') }),
      { 'vimana.io/soft-reboot': 'id' },
    ],
    ['freeze', 'one without an agent', instance('Running'), onInstance('VMI does not have guest agent connected')],
    ['unfreeze', 'an instance that does not run', instance('Failed'), onInstance('VMI is not running')],
  ])('%s of %s', (action, _what, vmi, expected) => {
    const edit = instanceEdit(action, vmi, 'id');
    expect(refusalOf(edit) ?? (edit as { annotations: object }).annotations).toEqual(expected);
  });

  it('freezes and thaws an instance with an agent', () => {
    expect(instanceEdit('freeze', agent, 'id')).toEqual({ frozen: true });
    expect(instanceEdit('unfreeze', agent, 'id')).toEqual({ frozen: false });
  });

  it('returns what the guest agent has reported', () => {
    const os = { id: 'fedora', prettyName: 'Fedora 42' };
    const reported = instance('Running', { status: { ...condition('AgentConnected'), guestOSInfo: os } });
    expect(guestInfo('guestosinfo', reported)).toMatchObject({ kind: 'VirtualMachineInstanceGuestAgentInfo', os });
    const codes = (vmi: VirtualMachineInstance) =>
      (['guestosinfo', 'userlist'] as const).map((question) => {
        const info = guestInfo(question, vmi);
        return info instanceof KubeError ? info.code : 200;
      });
    expect(codes(reported)).toEqual([200, 501]);
    expect(codes(instance('Running'))).toEqual([409, 409]);
    expect(codes(instance('Scheduling'))).toEqual([409, 409]);
  });
});

describe('a migration', () => {
  const other = (vmiName: string, phase?: string) =>
    ({
      metadata: { name: 'move', uid: 'm' },
      spec: { vmiName },
      status: phase === undefined ? undefined : { phase },
    }) as unknown as Vmim;
  const options = { dryRun: false };

  it('has the instance, and the node labels that were requested', () => {
    const selector = { zone: 'a' };
    expect(newMigration('web', instance('Running'), [], { ...options, addedNodeSelector: selector })).toEqual({
      metadata: { generateName: 'kubevirt-migrate-vm-' },
      spec: { vmiName: 'web', addedNodeSelector: selector },
    });
  });

  it.each<[string, VirtualMachineInstance, Vmim[], string | undefined]>([
    ['an instance that does not run', instance('Scheduled'), [], onMachine('VM is not running')],
    [
      'an instance that is migrating',
      instance('Running'),
      [other('web', 'Running')],
      onMachine('in-flight migration detected. Active migration job (m) is currently already in progress for VMI web.'),
    ],
    [
      'an instance with a pending migration',
      instance('Running'),
      [other('web')],
      onMachine('in-flight migration detected. Active migration job (m) is currently already in progress for VMI web.'),
    ],
    [
      'an instance that has migrated',
      instance('Running'),
      [other('web', 'Succeeded'), other('web', 'Failed')],
      undefined,
    ],
    ['an instance while another is migrating', instance('Running'), [other('db', 'Running')], undefined],
  ])('of %s is rejected or not', (_what, vmi, others, refusal) => {
    expect(refusalOf(newMigration('web', vmi, others, options))).toBe(refusal);
  });
});

describe('the body of a request', () => {
  it.each<[string, object]>([
    ['', { dryRun: false }],
    ['{}', { dryRun: false }],
    ['null', { dryRun: false }],
    ['{"paused": true, "dryRun": ["All"]}', { dryRun: true, paused: true }],
    ['gracePeriod: 0\n', { dryRun: false, gracePeriodSeconds: 0 }],
    ['{"gracePeriodSeconds": 5, "other": 1}', { dryRun: false, gracePeriodSeconds: 5 }],
    ['{"addedNodeSelector": {"a": "b"}, "dryRun": []}', { dryRun: false, addedNodeSelector: { a: 'b' } }],
  ])('%s is parsed', (text, options) => {
    expect(actionOptions(text)).toEqual(options);
  });

  it.each([
    ['{"paused": "yes please"}', 'paused must be a boolean'],
    ['{"gracePeriod": 1.5}', 'gracePeriod must be a whole number'],
    ['{"gracePeriodSeconds": -1}', 'gracePeriod has to be greater or equal to 0'],
    ['{"dryRun": ["Some"]}', 'dryRun must be ["All"]'],
    ['{"addedNodeSelector": {"a": 1}}', 'addedNodeSelector must be a map of strings'],
    ['[]', 'Can not unmarshal Request body to struct, error: it is no object'],
    ['{', 'Can not unmarshal Request body to struct, error: line 1'],
  ])('%s is rejected', (text, why) => {
    expect(() => actionOptions(text)).toThrow(why);
    expect(() => actionOptions(text)).toThrow(KubeError);
  });
});
