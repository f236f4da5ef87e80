import { describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { createMemoryLogger } from '#platform/base/logger';
import type { Client } from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import type { OperatorFlags } from '#programs/cli/operator';
import { besideKubevirt, isUpstreamKubevirt } from './upstream-kubevirt.ts';

const clock = new FakeClock();
const flags = { dialects: ['kubevirt', 'simulation'], instances: true } as unknown as OperatorFlags;

/** Returns its responses one after the other. */
function server(...answers: (readonly string[] | Error)[]): Pick<Client, 'request'> {
  return {
    request: () => {
      const response = answers.shift() ?? [];
      if (response instanceof Error) return Promise.reject(response);
      return Promise.resolve({ status: 200, body: { resources: response.map((name) => ({ name })) } } as never);
    },
  };
}

describe('KubeVirt itself', () => {
  it.each<[string, Pick<Client, 'request'>, boolean]>([
    ['is detected by its own resource', server(['virtualmachines', 'kubevirts']), true],
    ['is not detected by its VM kinds alone', server(['virtualmachines', 'virtualmachineinstances']), false],
    ['is not detected without its group', server(new KubeError(404, 'NotFound', 'no')), false],
  ])('%s', async (_what, client, expected) => {
    const log = createMemoryLogger(clock);
    expect(await isUpstreamKubevirt({ client, clock, log }, new AbortController().signal)).toBe(expected);
  });

  it('is checked until the API server responds', async () => {
    const log = createMemoryLogger(clock);
    const client = server(new Error('refused'), new KubeError(503, 'ServiceUnavailable', 'later'), ['kubevirts']);
    const requested = isUpstreamKubevirt({ client, clock, log }, new AbortController().signal);
    await clock.advance(4000);
    expect(await requested).toBe(true);
    expect(log.entries).toHaveLength(2);
  });

  it('keeps managing its own group, while other groups are served', () => {
    const log = createMemoryLogger(clock);
    expect(besideKubevirt(flags, log)).toMatchObject({ dialects: ['simulation'], instances: false });
    expect(log.entries.map(({ level, message }) => `${level} ${message}`).join()).toContain('warn KubeVirt itself');
  });

  it('is accepted if the flags already exclude it', () => {
    const log = createMemoryLogger(clock);
    const reported = { ...flags, dialects: ['simulation'] as const, instances: false };
    expect(besideKubevirt(reported, log)).toBe(reported);
    expect(log.entries).toEqual([]);
  });

  it('is an error if no other group is enabled', () => {
    const alone = { ...flags, dialects: ['kubevirt'] as const };
    expect(() => besideKubevirt(alone, createMemoryLogger(clock))).toThrow(
      'KubeVirt itself is installed in this cluster',
    );
  });
});
