import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '#platform/kube/client';
import { CONFIG_MAPS } from '#platform/kube/kinds/core';
import { EVENTS } from '#platform/kube/kinds/event';
import { LEASES } from '#platform/kube/kinds/node';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '#platform/kube/kinds/rbac';
import { type Cluster, startCluster } from '#testing/cluster';
import { runnable } from './controller.ts';
import { Events } from './events/events.ts';
import { Informers } from './informers.ts';
import { OwnClock } from './leader-elector.fixture.ts';
import { createLeaderElector } from './leader-elector.ts';
import { LeaderLease } from './leader-lease.ts';
import { type LeaderTerm, NotLeadingError } from './leader-term.ts';
import { manager } from './manager.ts';
import { EVENT_RULES, leaseRules } from './rbac.ts';
import { waitForAbort } from './wait-for-abort.ts';

const place = { namespace: 'kube-system', name: 'vimana-operator' };
const SECOND = 1000;

describe('a leader elector', () => {
  let cluster: Cluster;
  const terms: { readonly who: string; readonly term: LeaderTerm; over: boolean }[] = [];
  beforeEach(async () => {
    cluster = await startCluster();
    terms.length = 0;
  });
  afterEach(() => cluster.stop());

  function candidate(who: string, more: { client?: Client; drainMs?: number } = {}) {
    const { clock, random, log } = cluster;
    const one = createLeaderElector({
      lease: place,
      identity: who,
      client: more.client ?? cluster.admin,
      clock,
      random,
      log,
      async run(term) {
        const entry = { who, term, over: false };
        terms.push(entry);
        await waitForAbort(term.signal);
        if (more.drainMs !== undefined) await clock.sleep(more.drainMs);
        entry.over = true;
      },
    });
    return { one, stop: cluster.run(one) };
  }
  const lease = () => cluster.admin.get(LEASES, place.name, place);
  const led = () => terms.map(({ who }) => who);

  it('writes the lease as client-go does, and renews it every two seconds', async () => {
    candidate('a');
    await cluster.until(() => terms.length === 1);
    const { spec: first } = await lease();
    expect(first).toEqual({
      holderIdentity: expect.stringMatching(/^a_[0-9a-f-]{36}$/),
      leaseDurationSeconds: 15,
      acquireTime: '2030-01-01T00:00:00.000000Z',
      renewTime: '2030-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    });
    await cluster.clock.advance(5 * SECOND);
    expect((await lease()).spec).toEqual({ ...first, renewTime: '2030-01-01T00:00:04.000000Z' });
  });

  it('releases the lease only when everything has stopped; another acquires it at once', async () => {
    const a = candidate('a', { drainMs: 5 * SECOND });
    await cluster.until(() => terms.length === 1);
    await cluster.clock.advance(0.5 * SECOND);
    const b = candidate('b');
    await cluster.clock.advance(3.25 * SECOND);
    const stopped = a.stop();
    await cluster.clock.advance(4 * SECOND);
    // The lease is still renewed, so that work in progress can finish.
    expect((await lease()).spec).toMatchObject({ holderIdentity: expect.stringMatching(/^a_/) });
    expect([a.one.isLeader, led()]).toEqual([true, ['a']]);
    await cluster.clock.advance(1 * SECOND);
    await stopped;
    expect((await lease()).spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 });
    await cluster.clock.advance(1 * SECOND);
    expect([a.one.isLeader, b.one.isLeader, led()]).toEqual([false, true, ['a', 'b']]);
    expect((await lease()).spec).toMatchObject({ holderIdentity: expect.stringMatching(/^b_/), leaseTransitions: 1 });
  });

  it('stops ten seconds after its last renewal, and another starts fifteen seconds after it saw that', async () => {
    let broken = false;
    const client: Client = {
      ...cluster.admin,
      update: async (...args) => {
        if (broken) throw new Error('no way there');
        return await cluster.admin.update(...args);
      },
    };
    const a = candidate('a', { client });
    await cluster.until(() => terms.length === 1);
    candidate('b');
    await cluster.clock.advance(4 * SECOND);
    broken = true;
    await cluster.clock.advance(9999);
    expect([a.one.isLeader, terms[0]?.term.signal.aborted]).toEqual([true, false]);
    await cluster.clock.advance(1);
    expect([a.one.isLeader, terms[0]?.term.signal.aborted]).toEqual([false, true]);
    // It is eighteen seconds now: b saw the renewal of the fourth at the latest in the fifth, and is on time when that
    // expires.
    await cluster.clock.advance(4 * SECOND);
    expect(led()).toEqual(['a']);
    await cluster.clock.advance(2 * SECOND + 2);
    expect(led()).toEqual(['a', 'b']);
  });

  it('counts the lease from before the renewal was sent, however long the response takes', async () => {
    const { clock } = cluster;
    const client: Client = {
      ...cluster.admin,
      update: async (...args) => {
        if (clock.monotonic() > 5 * SECOND) throw new Error('no way there');
        const response = await cluster.admin.update(...args);
        await clock.sleep(4 * SECOND);
        return response;
      },
    };
    const a = candidate('a', { client });
    await cluster.until(() => terms.length === 1);
    // The request was sent after two seconds, and the response came after six.
    await clock.advance(11_999);
    expect(a.one.isLeader).toBe(true);
    await clock.advance(1);
    expect(a.one.isLeader).toBe(false);
  });

  it('is not a candidate again until everything has stopped', async () => {
    const a = candidate('a', { drainMs: 60 * SECOND });
    await cluster.until(() => terms.length === 1);
    const held = await lease();
    const another = {
      ...held,
      spec: { ...held.spec, holderIdentity: 'another', renewTime: '2030-01-01T00:00:01.000000Z' },
    };
    await cluster.admin.update(LEASES, another);
    await cluster.clock.advance(2 * SECOND);
    expect([a.one.isLeader, terms[0]?.term.signal.aborted, terms[0]?.over]).toEqual([false, true, false]);
    await cluster.clock.advance(59 * SECOND);
    expect(led()).toEqual(['a']);
    // It takes fifteen seconds from its first look at the lease since then.
    await cluster.clock.advance(25 * SECOND);
    expect(led()).toEqual(['a', 'a']);
    const stopped = a.stop();
    await cluster.clock.advance(60 * SECOND);
    await stopped;
  });

  it('waits for the lease duration of another holder', async () => {
    const spec = { holderIdentity: 'go', leaseDurationSeconds: 60, renewTime: '2020-01-01T00:00:00.000000Z' };
    await cluster.admin.create(LEASES, { metadata: place, spec });
    candidate('a');
    await cluster.clock.advance(59 * SECOND);
    expect(led()).toEqual([]);
    await cluster.clock.advance(6 * SECOND);
    expect(led()).toEqual(['a']);
    expect((await lease()).spec).toMatchObject({ leaseTransitions: 1 });
  });

  it('does not acquire a deleted lease whose holder may not know that', async () => {
    await cluster.admin.create(LEASES, { metadata: place, spec: { holderIdentity: 'go', leaseDurationSeconds: 15 } });
    candidate('a');
    await cluster.clock.advance(14 * SECOND);
    await cluster.admin.delete(LEASES, place.name, place);
    await cluster.clock.advance(15 * SECOND);
    expect(led()).toEqual([]);
    await cluster.clock.advance(10 * SECOND);
    expect(led()).toEqual(['a']);
  });

  it('continues with a lease that another client deleted or changed', async () => {
    const a = candidate('a');
    await cluster.until(() => terms.length === 1);
    await cluster.admin.patch(LEASES, place.name, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } }, place);
    await cluster.clock.advance(5 * SECOND);
    expect((await lease()).metadata.labels).toEqual({ a: 'b' });
    await cluster.admin.delete(LEASES, place.name, place);
    await cluster.clock.advance(5 * SECOND);
    expect((await lease()).spec?.holderIdentity).toMatch(/^a_/);
    expect([a.one.isLeader, led()]).toEqual([true, ['a']]);
  });

  it('recognizes its own lease although the response was lost', async () => {
    let lose = true;
    const client: Client = {
      ...cluster.admin,
      create: async (...args) => {
        const created = await cluster.admin.create(...args);
        if (lose) throw new Error('lost on its way back');
        return created;
      },
    };
    candidate('a', { client });
    await cluster.settle();
    lose = false;
    await cluster.clock.advance(5 * SECOND);
    expect(led()).toEqual(['a']);
  });

  it('passes on the error of what it runs, and releases the lease', async () => {
    const bad = createLeaderElector({
      ...cluster,
      client: cluster.admin,
      lease: place,
      identity: 'a',
      run: async () => Promise.reject(new Error('cannot')),
    });
    await expect(bad.run(new AbortController().signal)).rejects.toThrow('cannot');
    expect((await lease()).spec?.holderIdentity).toBe('');
  });

  it('changes the lease with every renewal, even if the wall clock does not advance', async () => {
    const frozen = new OwnClock(cluster.clock, 0, 1);
    frozen.now = () => Date.UTC(2030, 0, 1);
    const { signal } = new AbortController();
    const one = new LeaderLease({ client: cluster.admin, clock: frozen, lease: place, holder: 'a' });
    const versions: unknown[] = [];
    for (let i = 0; i < 4; i++) {
      expect(await one.claim(signal)).toBeDefined();
      versions.push((await lease()).metadata.resourceVersion);
    }
    expect(new Set(versions).size).toBe(4);
  });

  it('needs no more permissions than its rules, like the recorder of Events', async () => {
    const { admin } = cluster;
    const user = { name: 'system:serviceaccount:vimana-system:vimana-operator', groups: ['system:authenticated'] };
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'candidate' };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user.name }];
    const rules = [...leaseRules(place.name), ...EVENT_RULES];
    await admin.create(CLUSTER_ROLES, { metadata: { name: 'candidate' }, rules });
    await admin.create(CLUSTER_ROLE_BINDINGS, { metadata: { name: 'candidate' }, roleRef, subjects });
    const client = cluster.clientFor(user);
    const events = new Events({ ...cluster, client });
    cluster.run(events);
    const { stop } = candidate('a', { client });
    await cluster.until(() => terms.length === 1);
    const recorder = events.recorder('test');
    for (let i = 0; i < 2; i++) {
      recorder.event(await lease(), 'Normal', 'LeaderElection', 'a leads');
      await cluster.clock.advance(5 * SECOND);
    }
    expect((await admin.list(EVENTS, { namespace: place.namespace })).items).toMatchObject([{ count: 2 }]);
    await stop();
    expect((await lease()).spec?.holderIdentity).toBe('');
    expect(cluster.log.entries.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  it('rejects unsafe durations', () => {
    const times = { leaseMs: 10_000, renewDeadlineMs: 10_000, retryMs: 2000 };
    const { clock, admin: client } = cluster;
    expect(() => new LeaderLease({ client, clock, lease: place, holder: 'a', times })).toThrow('must last longer');
  });

  it.each<[string, (own: OwnClock) => void]>([
    ['was stalled', (own) => own.fallAsleep(false)],
    ['was suspended with its host', (own) => own.fallAsleep(true)],
    [
      'was stalled while the clock was set back',
      (own) => {
        own.fallAsleep(false);
        own.set(-3600 * SECOND);
      },
    ],
  ])('does not let a former leader write that %s and has not noticed', async (_what, fallAsleep) => {
    const own = new OwnClock(cluster.clock, 0, 1);
    let term: LeaderTerm | undefined;
    const one = createLeaderElector({
      ...cluster,
      clock: own,
      client: cluster.admin,
      lease: place,
      identity: 'a',
      async run(given) {
        term = given;
        await waitForAbort(given.signal);
      },
    });
    cluster.run(one);
    const { signal } = (await cluster.until(() => term)) ?? {};
    const client = (term as unknown as LeaderTerm).guard(cluster.admin);
    const map = { metadata: { name: 'x', namespace: 'default' } };
    await client.create(CONFIG_MAPS, map);
    fallAsleep(own);
    await cluster.clock.advance(20 * SECOND);
    expect(signal?.aborted).toBe(false);
    const writes = [
      () => client.create(CONFIG_MAPS, map),
      () => client.update(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', ...map }),
      () => client.patch(CONFIG_MAPS, 'x', { type: 'merge', body: {} }, { namespace: 'default' }),
      () => client.apply(CONFIG_MAPS, map, { fieldManager: 'x' }),
      () => client.delete(CONFIG_MAPS, 'x', { namespace: 'default' }),
      () => client.deleteCollection(CONFIG_MAPS, { namespace: 'default' }),
      () => client.act(CONFIG_MAPS, 'x', 'token', {}),
      () => client.request({ method: 'POST', path: '/api/v1/namespaces', body: {} }),
    ];
    for (const write of writes) await expect(write()).rejects.toThrow(NotLeadingError);
    expect(signal?.aborted).toBe(true);
    expect((await client.get(CONFIG_MAPS, 'x', { namespace: 'default' })).metadata.name).toBe('x');
    expect((await client.request({ method: 'GET', path: '/version' })).status).toBe(200);
    own.wake();
  });

  it('starts controllers on caches that contain all writes of the previous leader', async () => {
    const client = cluster.admin;
    const informers = new Informers({ ...cluster, client });
    const { cache } = informers.of(CONFIG_MAPS);
    let stale = true;
    // The watch has fallen behind, and nothing of it arrives.
    const slow: Client = {
      ...client,
      async *watch(_type, options) {
        await waitForAbort(options?.signal ?? AbortSignal.abort());
        yield* [];
      },
    };
    const late = new Informers({ ...cluster, client: slow });
    await cluster.admin.create(LEASES, { metadata: place, spec: { holderIdentity: 'b', leaseDurationSeconds: 15 } });
    const seen: string[] = [];
    const one = createLeaderElector({
      ...cluster,
      client,
      lease: place,
      identity: 'a',
      informers: late,
      async run(term) {
        stale = late.of(CONFIG_MAPS).cache.get('default/made-before') === undefined;
        const parts = { ...cluster, client: term.guard(client), informers: late };
        const controller = runnable(
          {
            name: 'test',
            for: CONFIG_MAPS,
            selection: {},
            reconcile: async ({ metadata }) => void seen.push(metadata.name ?? ''),
          },
          parts,
        );
        await manager('controllers', [controller]).run(term.signal);
      },
    });
    late.of(CONFIG_MAPS);
    cluster.run(manager('operator', [informers, late, one]));
    await cluster.settle();
    await client.create(CONFIG_MAPS, { metadata: { name: 'made-before', namespace: 'default' } });
    await cluster.until(() => cache.get('default/made-before'));
    expect(late.of(CONFIG_MAPS).cache.get('default/made-before')).toBeUndefined();
    expect(seen).toEqual([]);
    await cluster.clock.advance(20 * SECOND);
    expect(stale).toBe(false);
    expect(seen).toContain('made-before');
  });
});
