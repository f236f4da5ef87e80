import { describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { createMemoryLogger } from '#platform/base/logger';
import type { Client } from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import type { OperatorFlags } from '#programs/cli/operator';
import { besideKubevirt, isUpstreamKubevirt } from './upstream-kubevirt.ts';

const clock = new FakeClock();
const flags = { dialects: ['kubevirt', 'simulation'], instances: true } as unknown as OperatorFlags;

/** Returns its answers one after the other. */
function server(...answers: (readonly string[] | Error)[]): Pick<Client, 'request'> {
  return {
    request: () => {
      const answer = answers.shift() ?? [];
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve({ status: 200, body: { resources: answer.map((name) => ({ name })) } } as never);
    },
  };
}

describe('KubeVirt itself', () => {
  it.each<[string, Pick<Client, 'request'>, boolean]>([
    ['is there where its own resource is', server(['virtualmachines', 'kubevirts']), true],
    ['is not there where only its kinds are', server(['virtualmachines', 'virtualmachineinstances']), false],
    ['is not there where the group is not', server(new KubeError(404, 'NotFound', 'no')), false],
  ])('%s', async (_what, client, expected) => {
    const log = createMemoryLogger(clock);
    expect(await isUpstreamKubevirt({ client, clock, log }, new AbortController().signal)).toBe(expected);
  });

  it('is asked for until the API server answers', async () => {
    const log = createMemoryLogger(clock);
    const client = server(new Error('refused'), new KubeError(503, 'ServiceUnavailable', 'later'), ['kubevirts']);
    const asked = isUpstreamKubevirt({ client, clock, log }, new AbortController().signal);
    await clock.advance(4000);
    expect(await asked).toBe(true);
    expect(log.entries).toHaveLength(2);
  });

  it('keeps what is its own, and other groups go on', () => {
    const log = createMemoryLogger(clock);
    expect(besideKubevirt(flags, log)).toMatchObject({ dialects: ['simulation'], instances: false });
    expect(log.entries.map(({ level, message }) => `${level} ${message}`).join()).toContain('warn KubeVirt itself');
  });

  it('is nothing new to who was told already', () => {
    const log = createMemoryLogger(clock);
    const told = { ...flags, dialects: ['simulation'] as const, instances: false };
    expect(besideKubevirt(told, log)).toBe(told);
    expect(log.entries).toEqual([]);
  });

  it('leaves nothing to do where no other group is on', () => {
    const alone = { ...flags, dialects: ['kubevirt'] as const };
    expect(() => besideKubevirt(alone, createMemoryLogger(clock))).toThrow('KubeVirt itself runs in this cluster');
  });
});
