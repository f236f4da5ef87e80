import { describe, expect, it } from 'vitest';
import type { Vmi } from '#api/kubevirt/resources';
import { recordTransitions } from './transitions.ts';

const instance = (status: object): Vmi => ({ metadata: { name: 'm' }, status }) as unknown as Vmi;
const size = (sockets: number, guestCurrent: string) => ({
  phase: 'Running',
  currentCPUTopology: { sockets, cores: 1, threads: 1 },
  memory: { guestCurrent },
});

function reported(before: object, after: object): string[] {
  const events: string[] = [];
  const recorder = {
    event: (_object: object, type: string, reason: string, message: string) =>
      void events.push(`${type} ${reason}: ${message}`),
  };
  recordTransitions(instance(before), instance(after), recorder, () => {});
  return events;
}

describe('the events of an instance', () => {
  it.each<[string, object, object, string[]]>([
    [
      'include its size when it changes',
      size(1, '1Gi'),
      size(3, '2Gi'),
      ['Normal Resized: The VirtualMachineInstance has 3 sockets and 2Gi of memory now.'],
    ],
    ['include nothing if it is unchanged', size(1, '1Gi'), { ...size(1, '1Gi'), nodeName: 'there' }, []],
    ['include its start, without its size', {}, size(1, '1Gi'), ['Normal Started: VirtualMachineInstance started.']],
  ])('%s', (_what, before, after, expected) => {
    expect(reported(before, after)).toEqual(expected);
  });
});
