import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Vmi } from '#api/kubevirt/resources';
import type { InstanceStatus } from '#api/kubevirt/virtual-machine-instance';
import type { Pod } from '#platform/kube/kinds/pod';
import { runs } from '#testing/runs';
import { currentPod, isBound, isPodFinished, nodeOf } from './own-pods.ts';
import { planVmi, type VmiAction } from './plan-vmi.ts';

/**
 * Simulates an instance and its environment without a cluster: a scheduler, node agents that may freeze, and impatient
 * users.
 */

const SETTINGS = { nodeLostAfterMs: 40_000, agentTimeoutMs: 40_000 };
const FENCED_MS = 30_000;
const NODES = ['n1', 'n2'] as const;
type NodeName = (typeof NODES)[number];

interface AgentNode {
  frozen: boolean;
  /** Time at which its last heartbeat was sent. */
  sent: number;
  /** Uid of the pod whose machine runs here. */
  machine?: string;
}

/** State of one of several operators. */
interface Operator {
  /** Oldest view that shows all of its own writes. */
  since: number;
  owedSince?: number;
}

/** State of the server at one moment. */
interface View {
  readonly vmi: Vmi | undefined;
  readonly pods: readonly Pod[];
}

class Harness {
  now = Date.UTC(2030, 0, 1);
  vmi: Vmi | undefined = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '1' },
    spec: { domain: { devices: {} } },
    status: { phase: 'Pending' },
  } as unknown as Vmi;
  pods: readonly Pod[] = [];
  readonly nodes: Record<NodeName, AgentNode> = {
    n1: { frozen: false, sent: this.now },
    n2: { frozen: false, sent: this.now },
  };
  readonly operators: readonly Operator[] = [{ since: 0 }, { since: 0 }];
  #views: View[] = [];
  #version = 1;
  #podUids = 0;
  #abandoned: string | undefined;

  get running(): string[] {
    return NODES.filter((name) => this.nodes[name].machine !== undefined);
  }

  remember(): void {
    this.#views.push({ vmi: this.vmi, pods: this.pods });
  }

  changeVmi(status: InstanceStatus | undefined, metadata: object = {}): void {
    if (this.vmi === undefined) return;
    const resourceVersion = `${++this.#version}`;
    this.vmi = {
      ...this.vmi,
      metadata: { ...this.vmi.metadata, ...metadata, resourceVersion },
      ...(status === undefined ? {} : { status }),
    };
  }

  changePod(uid: string | undefined, change: (pod: Pod) => Pod | undefined): void {
    this.pods = this.pods.flatMap((pod) => (pod.metadata.uid === uid ? (change(pod) ?? []) : pod));
  }

  /** Deletes a pod at once, so that its node agent only learns of it afterwards. */
  drop(pod: Pod): void {
    this.changePod(pod.metadata.uid, () => undefined);
    if (isBound(pod) && !isPodFinished(pod)) this.#abandoned = pod.spec.nodeName;
  }

  /** Runs an operator on its cached view, which may be old but shows its own writes. */
  operate(operator: Operator, lag: number): void {
    const view = this.#views[Math.max(operator.since, this.#views.length - 1 - lag)] ?? this;
    const { vmi } = view;
    if (vmi === undefined) return;
    // If an expected pod is missing, it is read from the server.
    const should = ['Scheduling', 'Scheduled', 'Running'].includes(vmi.status?.phase ?? '');
    const pods = view.pods.length === 0 && should ? this.pods : view.pods;
    const node = nodeOf(vmi, currentPod(vmi, pods)) || (this.#abandoned ?? '');
    const names = new Set([node, ...pods.map(({ spec }) => spec.nodeName ?? '')]);
    const lost = new Set([...names].filter((name) => name !== '' && this.#silence(name) >= SETTINGS.nodeLostAfterMs));
    const actions = planVmi(
      {
        vmi,
        pods,
        lost,
        kwokManaged: false,
        ...(this.#abandoned === undefined ? {} : { abandoned: this.#abandoned }),
        owedMs: operator.owedSince === undefined ? 0 : this.now - operator.owedSince,
        now: this.now,
      },
      SETTINGS,
    );
    if (!actions.some((action) => action.do === 'await agent')) delete operator.owedSince;
    else operator.owedSince ??= this.now;
    for (const action of actions) this.#do(action, vmi, operator);
  }

  #silence(node: string): number {
    return this.now - this.nodes[node as NodeName].sent;
  }

  #do(action: VmiAction, seen: Vmi, operator: Operator): void {
    const before = this.pods;
    if (action.do === 'create' && !this.pods.some(({ metadata }) => metadata.name === 'p')) {
      const uid = `pod-${++this.#podUids}`;
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', uid }, spec: { containers: [] } };
      this.pods = [...this.pods, { ...pod, status: { phase: 'Pending' } }];
    } else if (action.do === 'delete') {
      const at = action.force || !isBound(action.pod) || isPodFinished(action.pod);
      this.changePod(action.pod.metadata.uid, (pod) =>
        at && !isBound(pod) ? undefined : at ? undefined : marked(pod),
      );
    } else if (action.do === 'report' && this.vmi?.metadata.resourceVersion === seen.metadata.resourceVersion) {
      this.changeVmi(action.status);
      if (action.status.phase === 'Failed' || action.status.phase === 'Succeeded') expect(this.running).toEqual([]);
    } else if (action.do === 'release') {
      expect(this.running).toEqual([]);
      this.vmi = undefined;
    }
    if (this.pods !== before) {
      this.remember();
      operator.since = this.#views.length - 1;
    }
  }

  /** Runs a node agent once. */
  agent(name: NodeName): void {
    const node = this.nodes[name];
    if (node.frozen) return;
    node.sent = this.now;
    for (const pod of this.pods.filter(({ spec }) => spec.nodeName === name)) this.#agentOf(node, name, pod);
    if (node.machine !== undefined && !this.pods.some(({ metadata }) => metadata.uid === node.machine)) {
      delete node.machine;
      this.#agentEnds(name);
    }
  }

  #agentOf(node: AgentNode, name: NodeName, pod: Pod): void {
    const { uid = '' } = pod.metadata;
    const { status, metadata } = this.vmi ?? {};
    const final = status?.phase === 'Succeeded' || status?.phase === 'Failed';
    const mine = this.vmi !== undefined && !final && [name, ''].includes(status?.nodeName ?? '');
    const going = pod.metadata.deletionTimestamp !== undefined;
    if (!mine || going || metadata?.deletionTimestamp !== undefined || isPodFinished(pod)) {
      if (node.machine === uid) delete node.machine;
      if (mine) this.#agentEnds(name);
      if (going) this.changePod(uid, () => undefined);
      else this.changePod(uid, (each) => ({ ...each, status: { ...each.status, phase: 'Succeeded' } }));
      return;
    }
    // The machine runs before anybody can be informed of it.
    if (node.machine !== uid) {
      node.machine = uid;
      return;
    }
    this.changePod(uid, (each) => ({ ...each, status: { ...each.status, phase: 'Running' } }));
    this.changeVmi({ ...status, phase: 'Running', nodeName: name, activePods: { [uid]: name } });
  }

  #agentEnds(name: NodeName): void {
    const { status } = this.vmi ?? {};
    if (status?.phase === 'Succeeded' || status?.phase === 'Failed' || this.vmi === undefined) return;
    if ([name, ''].includes(status?.nodeName ?? '')) this.changeVmi({ ...status, phase: 'Failed', nodeName: name });
  }

  /** Advances time: live node agents act, and frozen ones end their machines when they must. */
  pass(ms: number): void {
    for (let left = ms; left > 0; left -= 5000) {
      this.now += 5000;
      // The garbage collector deletes pods without an owner.
      if (this.vmi === undefined) this.pods = [];
      for (const name of NODES) {
        const node = this.nodes[name];
        if (node.frozen && this.now - node.sent >= FENCED_MS) delete node.machine;
        this.agent(name);
      }
    }
  }
}

const marked = (pod: Pod): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' },
});

const nodeName = fc.constantFrom(...NODES);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ operate: fc.nat(3), operator: fc.nat(1) }) },
  { weight: 3, arbitrary: fc.record({ bind: nodeName }) },
  { weight: 3, arbitrary: fc.record({ agent: nodeName }) },
  { weight: 3, arbitrary: fc.record({ pass: fc.constantFrom(5000, 20_000, 60_000) }) },
  { weight: 1, arbitrary: fc.record({ freeze: nodeName }) },
  { weight: 1, arbitrary: fc.record({ thaw: nodeName }) },
  { weight: 1, arbitrary: fc.record({ remove: fc.constantFrom('vmi', 'pod', 'pod by force') }) },
);

function take(harness: Harness, event: typeof step extends fc.Arbitrary<infer T> ? T : never): void {
  const [pod] = harness.pods;
  if ('operate' in event) harness.operate(harness.operators[event.operator] as Operator, event.operate);
  else if ('agent' in event) harness.agent(event.agent);
  else if ('pass' in event) harness.pass(event.pass);
  else if ('freeze' in event) harness.nodes[event.freeze].frozen = true;
  else if ('thaw' in event) harness.nodes[event.thaw].frozen = false;
  else if ('bind' in event) {
    const free = harness.pods.find((each) => !isBound(each));
    harness.changePod(free?.metadata.uid, (each) => ({ ...each, spec: { ...each.spec, nodeName: event.bind } }));
  } else if (event.remove === 'vmi') harness.changeVmi(undefined, { deletionTimestamp: '2030-01-01T00:00:00Z' });
  else if (pod !== undefined && event.remove === 'pod') {
    if (isBound(pod) && !isPodFinished(pod)) harness.changePod(pod.metadata.uid, marked);
    else harness.drop(pod);
  } else if (pod !== undefined) harness.drop(pod);
}

describe('an instance, whatever happens,', () => {
  it('never has two pods, never runs twice, and is never reported as terminated while it runs', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80, size: 'max' }), (events) => {
        const harness = new Harness();
        for (const event of events) {
          harness.remember();
          take(harness, event);
          expect(harness.pods.filter((pod) => !isPodFinished(pod)).length).toBeLessThanOrEqual(1);
          expect(harness.running.length).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  it('settles after all faults: it runs, or has terminated with nothing left', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), fc.boolean(), (events, deleted) => {
        const harness = new Harness();
        for (const event of [...events, ...(deleted ? [{ remove: 'vmi' as const }] : [])]) {
          harness.remember();
          take(harness, event);
        }
        for (const name of NODES) harness.nodes[name].frozen = false;
        for (let i = 0; i < 30; i++) {
          harness.remember();
          harness.operate(harness.operators[0] as Operator, 0);
          take(harness, { bind: 'n1' });
          harness.pass(10_000);
        }
        const { phase } = harness.vmi?.status ?? {};
        if (deleted) expect(harness.vmi).toBeUndefined();
        if (harness.vmi === undefined) expect(harness.pods).toEqual([]);
        else expect(['Running', 'Succeeded', 'Failed']).toContain(phase);
        expect(harness.running.length).toBe(phase === 'Running' ? 1 : 0);
      }),
      { numRuns: 300 },
    );
  });
});
