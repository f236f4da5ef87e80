import { describe, expect, test } from 'vitest';
import { DIALECT_NAMES } from '#api/groups';
import type { ApiRequest } from '#control-plane/apiserver/http/api-request';
import type { ResourcePath } from '#control-plane/apiserver/request-path';
import { FakeClock } from '#platform/base/fake-clock';
import { withVmShortName } from '#programs/cli/vm-short-name';
import { crdFor, kindsOf } from '#programs/install/crds';
import { movedShortName, ShortNameAdvice, withMovedShortName } from './moved-short-name.ts';

const HOUR = 3_600_000;
const named = (group: string) => withVmShortName(kindsOf(DIALECT_NAMES), group).map(crdFor);

describe('the last change of what vm means', () => {
  test('is a change from the group that has the name', () => {
    expect(movedShortName(named('kubevirt.io'), 'hypersdk.io', 5)).toEqual({
      before: 'kubevirt.io',
      now: 'hypersdk.io',
      since: 5,
      isNew: true,
    });
    expect(movedShortName(named('kubevirt.io'), 'kubevirt.io', 5)).toBeUndefined();
    expect(movedShortName([], 'kubevirt.io', 5)).toBeUndefined();
  });

  test('is from the default group in a new data directory, whose address another server may have had', () => {
    const moved = { before: 'kubevirt.io', now: 'hypersdk.io', since: 5, isNew: false };
    expect(movedShortName([], 'hypersdk.io', 5)).toEqual(moved);
  });

  test('is from the first group if all groups had the name, as kubectl chose', () => {
    const all = kindsOf(DIALECT_NAMES).map(crdFor);
    expect(movedShortName(all, 'kubevirt.io', 5)).toMatchObject({ before: 'hypersdk.io', isNew: true });
    expect(movedShortName(all, 'hypersdk.io', 5)).toBeUndefined();
  });

  test('is recorded in the CRD as long as kubectl may have cached the earlier meaning', () => {
    const moved = { before: 'kubevirt.io', now: 'hypersdk.io', since: HOUR, isNew: true };
    const stored = named('hypersdk.io').map((definition) => withMovedShortName(definition, moved));
    expect(movedShortName(stored, 'hypersdk.io', 6 * HOUR)).toEqual({ ...moved, isNew: false });
    expect(movedShortName(stored, 'hypersdk.io', 7 * HOUR)).toBeUndefined();
    expect(movedShortName(stored, 'kubevirt.io', 6 * HOUR)).toMatchObject({ before: 'hypersdk.io', isNew: true });
  });
});

describe('a kubectl that may have cached the earlier meaning of vm', () => {
  const KUBECTL = 'kubectl/v1.36.0 (linux/amd64) kubernetes/abc';
  const ask = (advice: ShortNameAdvice, agent: string, group = 'kubevirt.io', plural = 'virtualmachines') => {
    const request = { user: { name: 'me', groups: [] }, header: () => agent } as Partial<ApiRequest> as ApiRequest;
    return advice.advise(request, { group, plural } as Partial<ResourcePath> as ResourcePath);
  };
  const advised = () => {
    const clock = new FakeClock();
    const advice = new ShortNameAdvice(clock);
    advice.moved = { before: 'kubevirt.io', now: 'hypersdk.io', since: clock.now(), isNew: true };
    return { advice, clock };
  };

  test('gets a remedy once', () => {
    const { advice } = advised();
    expect(ask(advice, KUBECTL)).toBe(
      'vm now means virtualmachines.hypersdk.io. If you typed vm, kubectl has cached its earlier meaning, kubevirt.io: run kubectl api-resources once.',
    );
    expect(ask(advice, KUBECTL)).toBeUndefined();
    expect(ask(advice, 'kubectl/v1.30.0')).toBeDefined();
  });

  test.each([
    ['other programs', 'vimana', 'kubevirt.io', 'virtualmachines'],
    ['other groups', KUBECTL, 'hypersdk.io', 'virtualmachines'],
    ['other kinds', KUBECTL, 'kubevirt.io', 'virtualmachineinstances'],
  ])('is not confused with %s', (_what, agent, group, plural) => {
    expect(ask(advised().advice, agent, group, plural)).toBeUndefined();
  });

  test('gets none after its cache has expired, or if nothing has changed', async () => {
    const { advice, clock } = advised();
    await clock.advance(6 * HOUR);
    expect(ask(advice, KUBECTL)).toBeUndefined();
    expect(ask(new ShortNameAdvice(clock), KUBECTL)).toBeUndefined();
  });
});
