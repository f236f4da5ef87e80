import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Lease, Node } from '#platform/kube/kinds/node';
import { NodeHeartbeats } from './node-heartbeats.ts';

const lease = (name: string, renewTime: string): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name },
  spec: { renewTime },
});
const node = (name: string, ready?: 'True' | 'False' | 'Unknown', taints: readonly string[] = []): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  spec: { taints: taints.map((key) => ({ key, effect: 'NoExecute' })) },
  status: { conditions: ready === undefined ? [] : [{ type: 'Ready', status: ready }] },
});

describe('the heartbeats of nodes', () => {
  it('count from when they were observed, whatever time they contain', () => {
    const signs = new NodeHeartbeats();
    signs.sawLease(lease('n', '1999'), 100);
    expect(signs.silence('n', 140)).toBe(40);
    signs.sawLease(lease('n', '1999'), 150);
    expect(signs.silence('n', 160)).toBe(60);
    signs.sawLease(lease('n', '1998'), 170);
    expect(signs.silence('n', 170)).toBe(0);
    expect(signs.lastRenewal('n')).toBe('1998');
  });

  it('of a node with a lease are not its readiness', () => {
    const signs = new NodeHeartbeats();
    signs.sawLease(lease('n', 'a'), 0);
    signs.sawNode(node('n', 'True'), 50);
    expect(signs.silence('n', 60)).toBe(60);
  });

  it.each<[what: string, ready: 'True' | 'False' | 'Unknown' | undefined, silent: number]>([
    ['it is ready', 'True', 0],
    ['it is not ready', 'False', 0],
    ['it has no condition', undefined, 0],
    ['its condition is Unknown', 'Unknown', 90],
  ])('of a node without a lease continue or not if %s', (_what, ready, silent) => {
    const signs = new NodeHeartbeats();
    signs.sawNode(node('n', ready), 10);
    expect(signs.silence('n', 100)).toBe(silent);
  });

  it('of a node that loses its lease start again with that', () => {
    const signs = new NodeHeartbeats();
    signs.sawLease(lease('n', 'a'), 0);
    signs.sawNoLease('n', 30);
    signs.sawNoLease('n', 50);
    expect(signs.silence('n', 60)).toBe(30);
    expect(signs.lastRenewal('n')).toBeUndefined();
    // Such a lease was created to declare the node lost.
    signs.sawLease(lease('n', ''), 70);
    expect(signs.silence('n', 80)).toBe(50);
  });

  it('of a node without a lease end when it is deleted', () => {
    const signs = new NodeHeartbeats();
    signs.sawNode(node('n', 'True'), 0);
    signs.nodeGone(node('n'), 50);
    expect(signs.silence('n', 80)).toBe(30);
    signs.sawNode(node('n', 'True'), 90);
    expect(signs.silence('n', 1000)).toBe(0);
  });

  it('of an unknown node start with the first query', () => {
    const signs = new NodeHeartbeats();
    expect(signs.silence('n', 100)).toBe(0);
    expect(signs.silence('n', 130)).toBe(30);
  });

  it('do not count if an administrator confirms that nothing runs there', () => {
    const signs = new NodeHeartbeats();
    signs.sawLease(lease('n', 'a'), 0);
    signs.sawNode(node('n', 'Unknown', ['node.kubernetes.io/out-of-service']), 0);
    expect(signs.silence('n', 1)).toBe(Number.POSITIVE_INFINITY);
    signs.sawNode(node('n', 'True'), 2);
    expect(signs.silence('n', 2)).toBe(2);
  });

  it('report every lost node exactly once, and never too early', () => {
    const step = fc.record({ wait: fc.nat(30), renew: fc.subarray(['a', 'b', 'c']) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const signs = new NodeHeartbeats();
        const last = new Map<string, number>();
        const reported = new Set<string>();
        let now = 0;
        for (const [i, { wait, renew }] of steps.entries()) {
          const next = signs.nextIn(40, now);
          now += wait;
          const silent = signs.newlySilent(40, now);
          for (const name of silent) {
            expect(now - (last.get(name) ?? now)).toBeGreaterThanOrEqual(40);
            expect(reported.has(name)).toBe(false);
            reported.add(name);
          }
          // A check at the announced time misses no node.
          expect(silent.length > 0).toBe(wait >= next);
          for (const name of renew) {
            signs.sawLease(lease(name, `${i}`), now);
            last.set(name, now);
            reported.delete(name);
          }
        }
      }),
    );
  });
});
