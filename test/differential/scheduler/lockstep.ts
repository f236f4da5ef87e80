import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Rotation } from '#control-plane/scheduler/framework/sampling';
import { realClock } from '#platform/base/clock';
import { type Random, seededRandom } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { conditionOf } from '#platform/kube/kinds/condition';
import { NAMESPACES as NAMESPACE_TYPE, SERVICES } from '#platform/kube/kinds/core';
import { NODES, type Node, type Taint } from '#platform/kube/kinds/node';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { POD_DISRUPTION_BUDGETS, type PodDisruptionBudget } from '#platform/kube/kinds/policy';
import { resourceType } from '#platform/kube/kinds/resource-type';
import {
  CSI_NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolumeClaim,
  STORAGE_CLASSES,
} from '#platform/kube/kinds/storage';
import type { RealCluster } from '../../cluster/real-cluster.ts';
import type { Placement, Refusal, Scores } from './decision.ts';
import {
  BUDGETS,
  largeCluster,
  NAMESPACES,
  PRIORITIES,
  type RandomCluster,
  randomCluster,
  SERVED,
} from './random-cluster.ts';
import { CLASSES } from './random-storage.ts';
import { ScoreLog } from './score-log.ts';
import { decide, hasDelayedClaims, rotationsThatMeet, type Standing, volumesOn } from './shadow.ts';
import { bindClaims, MADE } from './volume-controller.ts';

/** Number of comparisons. */
export interface Figures {
  clusters: number;
  /** Decisions for which not all nodes were evaluated. */
  sampled: number;
  placed: number;
  refused: number;
  evictions: number;
  scores: number;
  /** Claims that were bound together with a node. */
  volumes: number;
}

/** A pod about which the schedulers disagree. */
export interface Disagreement {
  readonly what: string;
  readonly ours: unknown;
  readonly theirs: unknown;
  readonly pod: Pod;
  readonly standing: Standing;
}

const TIMEOUT = 20_000;
/** Time until informers of other resources than pods and nodes have received a write. */
const HEARD = 250;
/** Up to this number of nodes, all are evaluated. */
const SMALL = 100;
/** One of this many clusters is so large that not all nodes are evaluated. */
const LARGE_EVERY = 20;
const CLOSED: Taint = { key: 'differential.example/closed', effect: 'NoSchedule' };
const PRIORITY_CLASSES = resourceType('scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses', 'Cluster');

/**
 * Creates pods one after the other for kube-scheduler, and asks ours about the same pod in the same cluster. The next
 * pod starts from the result of kube-scheduler, so that one tie does not lead to different states.
 */
export class Lockstep {
  readonly figures: Figures = { clusters: 0, sampled: 0, placed: 0, refused: 0, evictions: 0, scores: 0, volumes: 0 };
  readonly #client: Client;
  readonly #log: ScoreLog;
  #budgets: readonly PodDisruptionBudget[] = [];

  private constructor(client: Client, log: ScoreLog) {
    this.#client = client;
    this.#log = log;
  }

  /** Prepares what all clusters share. */
  static async begin(cluster: RealCluster): Promise<Lockstep> {
    const client = await cluster.client();
    const lockstep = new Lockstep(client, new ScoreLog(join(cluster.folder, 'kube-scheduler.log')));
    await lockstep.#furnish();
    return lockstep;
  }

  async #furnish(): Promise<void> {
    const client = this.#client;
    for (const [name, labels] of Object.entries(NAMESPACES)) {
      await client.create(NAMESPACE_TYPE, { metadata: { name, labels } });
    }
    const ports = [{ port: 80 }];
    await client.create(SERVICES, {
      metadata: { name: 's', namespace: 'served' },
      spec: { selector: SERVED, ports },
    });
    for (const [name, value] of Object.entries(PRIORITIES)) {
      const preemptionPolicy = name === 'polite' ? 'Never' : 'PreemptLowerPriority';
      await client.create(PRIORITY_CLASSES, { metadata: { name }, value, preemptionPolicy });
    }
    for (const each of CLASSES) await client.create(STORAGE_CLASSES, each);
    const budgets: PodDisruptionBudget[] = [];
    for (const [app, disruptionsAllowed] of Object.entries(BUDGETS)) {
      const spec = { minAvailable: 1, selector: { matchLabels: { app } } };
      const metadata = { name: app, namespace: 'plain' };
      await client.create(POD_DISRUPTION_BUDGETS, { metadata, spec });
      const status = {
        disruptionsAllowed,
        currentHealthy: 1,
        desiredHealthy: 1,
        expectedPods: 1,
        observedGeneration: 1,
      };
      const options = { namespace: 'plain', subresource: 'status' };
      budgets.push(await client.patch(POD_DISRUPTION_BUDGETS, app, { type: 'merge', body: { status } }, options));
    }
    this.#budgets = budgets;
    await realClock.sleep(1_000);
  }

  /** Runs one random cluster up to the first pod about which the schedulers disagree. */
  async play(seed: string, number: number): Promise<Disagreement | undefined> {
    const random = seededRandom(seed).fork(`cluster ${number}`);
    const isLarge = number % LARGE_EVERY === LARGE_EVERY - 1;
    const cluster = (isLarge ? largeCluster : randomCluster)(random, `c${number}`);
    try {
      const standing = await this.#build(cluster, number);
      this.figures.clusters += 1;
      return await this.#schedule(standing, cluster.pods, random);
    } finally {
      await this.#clear();
    }
  }

  async #build({ nodes, csiNodes, volumes, claims }: RandomCluster, number: number): Promise<Standing> {
    const client = this.#client;
    const kept = [];
    const known = [];
    for (const volume of volumes) kept.push(await client.create(PERSISTENT_VOLUMES, volume));
    for (const claim of claims) known.push(await this.#claimed(claim));
    for (const csiNode of csiNodes) await client.create(CSI_NODES, csiNode);
    if (volumes.length + claims.length > 0) await realClock.sleep(HEARD);
    const made = await this.#opened(nodes, `probe-${number}`);
    return { nodes: made, pods: [], budgets: this.#budgets, csiNodes, volumes: kept, claims: known };
  }

  /** A claim that names its volume is bound. */
  async #claimed(claim: PersistentVolumeClaim): Promise<PersistentVolumeClaim> {
    const created = await this.#client.create(PERSISTENT_VOLUME_CLAIMS, claim);
    if (claim.spec.volumeName === undefined) return created;
    const status = { phase: 'Bound', accessModes: claim.spec.accessModes, capacity: { storage: '1Gi' } };
    const options = { namespace: claim.metadata.namespace ?? '', subresource: 'status' };
    const { name = '' } = claim.metadata;
    return await this.#client.patch(PERSISTENT_VOLUME_CLAIMS, name, { type: 'merge', body: { status } }, options);
  }

  /**
   * Creates nodes in order. They are unschedulable until the scheduler knows all of them, because it counts the nodes
   * that have an image only when it receives a node.
   */
  async #opened(nodes: readonly Node[], name: string): Promise<Node[]> {
    const closed = nodes.map((node) => ({
      ...node,
      spec: { ...node.spec, taints: [...(node.spec?.taints ?? []), CLOSED] },
    }));
    const made = await Promise.all(closed.map((node) => this.#client.create(NODES, node)));
    await this.#probe(name, (message) => message.startsWith(`0/${made.length} nodes`));
    const open = await Promise.all(
      made.map(({ metadata, spec }) => {
        const taints = spec?.taints?.filter(({ key }) => key !== CLOSED.key) ?? [];
        const body = { spec: { taints: taints.length === 0 ? null : taints } };
        return this.#client.patch(NODES, metadata.name ?? '', { type: 'merge', body });
      }),
    );
    await this.#probe(`${name}-open`, (message) => !message.includes('taint'));
    const versions = new Map(made.map(({ metadata }) => [metadata.uid, Number(metadata.resourceVersion)]));
    const order = ({ metadata }: Node) => versions.get(metadata.uid) ?? 0;
    return open.sort((a, b) => order(a) - order(b));
  }

  /** Waits until the scheduler reports what is expected for a pod that fits no node. */
  async #probe(name: string, expected: (message: string) => boolean): Promise<void> {
    const until = realClock.monotonic() + TIMEOUT;
    const spec = {
      nodeSelector: { nobody: name },
      tolerations: ['k', 'l', 'm'].map((key) => ({ key, operator: 'Exists' })),
      containers: [{ name: 'c', image: 'i' }],
      automountServiceAccountToken: false,
    };
    for (let attempt = 0; ; attempt++) {
      const probe = await this.#client.create(PODS, {
        metadata: { name: `${name}-${attempt}`, namespace: 'plain' },
        spec,
      });
      const { status } = await this.#outcome(probe, false);
      await this.#client.delete(PODS, probe.metadata.name ?? '', { namespace: 'plain', gracePeriodSeconds: 0 });
      const message = conditionOf(status?.conditions, 'PodScheduled')?.message ?? '';
      if (expected(message)) return;
      if (realClock.monotonic() > until)
        throw new Error(`the scheduler does not know the nodes of ${name}: ${message}`);
    }
  }

  async #schedule(first: Standing, pods: readonly Pod[], random: Random): Promise<Disagreement | undefined> {
    let standing = first;
    const isSampled = first.nodes.length > SMALL;
    if (isSampled) this.figures.sampled += 1;
    let rotations: readonly Rotation[] | undefined;
    for (const [at, wanted] of pods.entries()) {
      const pod = await this.#client.create(PODS, wanted);
      const delayed = hasDelayedClaims(standing, pod);
      const seen = await this.#outcome(pod, delayed);
      // The start of the search is not reported, but follows from the nodes evaluated for the first pod.
      if (isSampled && rotations === undefined) {
        const met = new Set(this.#scoresOf(seen).keys());
        rotations = rotationsThatMeet(met, standing, pod);
        if (rotations.length === 0) return { what: 'the nodes to look at', ours: '', theirs: [...met], pod, standing };
      }
      const now = standing;
      const decided = (rotations ?? [new Rotation()]).map((rotation) => ({
        rotation,
        ours: decide(now, pod, rotation),
      }));
      // Several starts may lead to the same nodes in another order. The results of the next pods distinguish them.
      const agreeing = decided.filter(({ ours }) => 'nodes' in ours && ours.chosen === seen.spec.nodeName);
      const [{ ours }] = (agreeing.length > 0 ? agreeing : decided) as [(typeof decided)[number]];
      if (isSampled && agreeing.length > 0) rotations = agreeing.map(({ rotation }) => rotation);
      const wrong =
        'nodes' in ours
          ? (this.#comparePlaced(ours, seen, isSampled) ??
            (delayed ? await this.#compareVolumes(standing, seen) : undefined))
          : await this.#compareRefused(ours, seen, standing);
      if (wrong !== undefined) return { ...wrong, pod, standing };
      standing = await this.#next(standing, seen, at, random);
      if (delayed) standing = { ...standing, ...(await this.#storage()) };
    }
    return undefined;
  }

  #scoresOf({ metadata }: Pod): Scores {
    return this.#log.scoresOf(`${metadata.namespace}/${metadata.name}`);
  }

  /** Returns the volumes bound to the claims of a pod, and those to be provisioned. */
  async #compareVolumes(standing: Standing, pod: Pod) {
    const ours = volumesOn(standing, pod, pod.spec.nodeName ?? '');
    const { claims } = await this.#storage();
    const entries = Object.keys(ours).map((name) => {
      const volume = claims.find(({ metadata }) => metadata.name === name)?.spec.volumeName ?? '';
      return [name, volume.startsWith(MADE) ? '' : volume] as const;
    });
    const theirs = Object.fromEntries(entries);
    if (!isDeepStrictEqual(ours, theirs)) return { what: 'volumes', ours, theirs };
    this.figures.volumes += entries.length;
    return undefined;
  }

  async #storage(): Promise<Pick<Standing, 'volumes' | 'claims'>> {
    const { items: volumes } = await this.#client.list(PERSISTENT_VOLUMES);
    const { items: claims } = await this.#client.list(PERSISTENT_VOLUME_CLAIMS);
    return { volumes, claims };
  }

  #comparePlaced(ours: Placement, pod: Pod, isExact: boolean) {
    const node = pod.spec.nodeName ?? '';
    if (node === '') return { what: 'whether a node suits', ours: ours.nodes, theirs: messageOf(pod) };
    const scores = this.#scoresOf(pod);
    if (!isDeepStrictEqual(plain(ours.scores), plain(scores))) {
      return { what: 'scores', ours: plain(ours.scores), theirs: plain(scores) };
    }
    if (!ours.nodes.includes(node)) return { what: 'the node', ours: ours.nodes, theirs: node };
    // The order of evaluation decides between equal nodes. It is known if the search was tracked.
    if (isExact && ours.chosen !== node) return { what: 'the choice among equals', ours: ours.chosen, theirs: node };
    this.figures.placed += 1;
    for (const plugins of scores.values()) this.figures.scores += plugins.size;
    return undefined;
  }

  async #compareRefused(ours: Refusal, pod: Pod, { pods }: Standing) {
    // If preemption finished immediately, the pod may already be scheduled.
    const node = pod.spec.nodeName ?? '';
    const nominated = node === '' ? (pod.status?.nominatedNodeName ?? '') : node;
    if (node !== '' && ours.evictions.length === 0)
      return { what: 'whether a node suits', ours: ours.message, theirs: node };
    const message = messageOf(pod);
    if (node === '' && ours.message !== message) return { what: 'the message', ours: ours.message, theirs: message };
    this.figures.refused += 1;
    if (nominated === '' && ours.evictions.length === 0) return undefined;
    const expected = ours.evictions.filter((each) => each.node === nominated);
    if (expected.length === 0) return { what: 'where to make room', ours: ours.evictions, theirs: nominated };
    const gone = await this.#gone(pods, Math.min(...expected.map(({ victims }) => victims.length)));
    if (!expected.some(({ victims }) => isDeepStrictEqual(victims, gone))) {
      return { what: 'who has to go', ours: expected, theirs: gone };
    }
    this.figures.evictions += 1;
    return undefined;
  }

  /** Returns the names of deleted pods, waiting for at least this many until a timeout. */
  async #gone(pods: readonly Pod[], least: number): Promise<string[]> {
    for (let turn = 0; ; turn++) {
      const { items } = await this.#client.list(PODS);
      const left = new Set(
        items.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(({ metadata }) => metadata.uid),
      );
      const gone = pods.filter(({ metadata }) => !left.has(metadata.uid)).map(({ metadata }) => metadata.name ?? '');
      if ((gone.length >= least && turn > 0) || turn > 100) return gone.sort();
      await realClock.sleep(20);
    }
  }

  /** Marks a scheduled pod as running, and deletes an unschedulable one, so that it is not retried later. */
  async #next(standing: Standing, pod: Pod, at: number, random: Random): Promise<Standing> {
    const { namespace = '', name = '' } = pod.metadata;
    if ((pod.spec.nodeName ?? '') === '') {
      await this.#client.delete(PODS, name, { namespace, gracePeriodSeconds: 0 });
      return (pod.status?.nominatedNodeName ?? '') === '' ? standing : { ...standing, pods: await this.#placed() };
    }
    const startTime = `2026-01-01T00:${String(random.int(10, 59))}:${String(at + 10)}Z`;
    const body = { status: { phase: 'Running', startTime } };
    const running = await this.#client.patch(PODS, name, { type: 'merge', body }, { namespace, subresource: 'status' });
    const madeRoom = (running.spec.priority ?? 0) > 0;
    return { ...standing, pods: madeRoom ? await this.#placed() : [...standing.pods, running] };
  }

  async #placed(): Promise<Pod[]> {
    const { items } = await this.#client.list(PODS);
    return items.filter(({ spec }) => (spec.nodeName ?? '') !== '');
  }

  /** Returns the pod once it is scheduled or reported as unschedulable. */
  async #outcome({ metadata }: Pod, bindsClaims: boolean): Promise<Pod> {
    const until = realClock.monotonic() + TIMEOUT;
    const { name = '', namespace = '' } = metadata;
    for (;;) {
      const pod = await this.#client.get(PODS, name, { namespace });
      if ((pod.spec.nodeName ?? '') !== '' || messageOf(pod) !== '') return pod;
      if (bindsClaims) await bindClaims(this.#client, pod);
      if (realClock.monotonic() > until) throw new Error(`the scheduler says nothing of the pod ${name}`);
      await realClock.sleep(4);
    }
  }

  async #clear(): Promise<void> {
    const now = { gracePeriodSeconds: 0 };
    for (const namespace of Object.keys(NAMESPACES)) await this.#client.deleteCollection(PODS, { namespace, ...now });
    await this.#client.deleteCollection(PERSISTENT_VOLUME_CLAIMS, { namespace: 'plain', ...now });
    await this.#client.deleteCollection(NODES, now);
    await this.#client.deleteCollection(CSI_NODES, now);
    await this.#client.deleteCollection(PERSISTENT_VOLUMES, now);
  }
}

function messageOf({ status }: Pod): string {
  const condition = conditionOf(status?.conditions, 'PodScheduled');
  // The plugin for devices, which ours does not have and no pod here uses, adds a reason whenever nothing fits.
  return condition?.status === 'False' ? (condition.message ?? '').replace('no new claims to deallocate, ', '') : '';
}

function plain(scores: Scores): Record<string, Record<string, number>> {
  return Object.fromEntries([...scores].map(([node, plugins]) => [node, Object.fromEntries(plugins)]));
}
