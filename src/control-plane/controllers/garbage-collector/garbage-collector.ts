import { FOREGROUND, ORPHAN } from '#platform/kube/deletion-finalizers';
import { apiVersionOf } from '#platform/kube/kinds/resource-type';
import { ignoreNotFound, isConflict } from '#platform/kube/kube-error';
import type { KubeObject, KubeOwnerReference } from '#platform/kube/kube-object';
import type { ControllerDeps } from '#platform/runtime/controller';
import type { DiscoveryCache } from '#platform/runtime/discovery-cache';
import type { Runnable } from '#platform/runtime/runnable';
import { WorkQueue } from '#platform/runtime/work-queue';
import { AbsentOwners } from './absent-owners.ts';
import { Monitors } from './monitors.ts';
import { type Member, OwnerGraph, refersTo } from './owner-graph.ts';
import { affectedMembers, blocks, decide, type OwnerState, type OwnerWithState } from './plan.ts';

/** The kind of the owner is not served, so not finding it proves nothing. */
class UnknownOwnerError extends Error {}

/**
 * Deletes dependents whose owners are gone, finishes foreground deletion once dependents are gone, and orphans
 * dependents where requested. It reads from the server itself before it deletes anything.
 */
export class GarbageCollector implements Runnable {
  readonly name = 'garbage collector';
  readonly #parts: ControllerDeps;
  readonly #catalog: DiscoveryCache;
  readonly #graph = new OwnerGraph();
  readonly #absent = new AbsentOwners();
  readonly #monitors: Monitors;
  readonly #queue: WorkQueue;
  /** Objects with an owner of an unknown kind, which are checked again when the served kinds change. */
  readonly #puzzling = new Set<string>();

  constructor(parts: ControllerDeps, catalog: DiscoveryCache) {
    const log = parts.log.child({ controller: this.name });
    this.#parts = { ...parts, log };
    this.#catalog = catalog;
    this.#monitors = new Monitors(this.#parts, this.#graph, {
      changed: (before, member) => this.#changed(before, member),
    });
    this.#queue = new WorkQueue({
      name: this.name,
      clock: parts.clock,
      random: parts.random.fork(this.name),
      concurrency: 4,
      work: async (uid) => await this.#work(uid),
      onFailure: (uid, error, retryInMs) =>
        log[isConflict(error) ? 'debug' : 'warn'](
          { uid, err: error, retryInMs },
          'failed to garbage-collect an object',
        ),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const stop = this.#catalog.onChange(() => this.#follow(signal));
    this.#follow(signal);
    await this.#queue.run(signal);
    stop();
    await this.#monitors.stop();
  }

  #follow(signal: AbortSignal): void {
    this.#monitors.follow(this.#catalog.now.resources, signal);
    for (const uid of this.#puzzling) this.#queue.add(uid);
    this.#puzzling.clear();
  }

  #changed(before: Member | undefined, member: Member | undefined): void {
    for (const uid of affectedMembers(before, member)) if (this.#graph.get(uid) !== undefined) this.#queue.add(uid);
    const startsWaiting = member?.foreground === true && before?.foreground !== true;
    if (member === undefined && before !== undefined) this.#absent.add(referenceTo(before), before.namespace);
    const about = member ?? before;
    if (about === undefined || (member !== undefined && !startsWaiting)) return;
    for (const dependent of this.#graph.dependentsOf(about.uid)) this.#queue.add(dependent.uid);
  }

  async #work(uid: string): Promise<undefined> {
    await this.#monitors.settled();
    const member = this.#graph.get(uid);
    if (member === undefined) return;
    if (member.foreground) await this.#awaitDependents(member);
    else if (member.orphaning) await this.#letGo(member);
    else if (!member.deleting && member.owners.some((ref) => this.#known(ref, member) !== 'solid'))
      await this.#judge(member);
  }

  /** Returns the owner's state as far as the graph knows it. */
  #known(ref: KubeOwnerReference, { namespace }: Member): OwnerState | undefined {
    const owner = this.#graph.get(ref.uid);
    if (owner === undefined || !refersTo(ref, owner)) return undefined;
    if (owner.namespace !== '' && owner.namespace !== namespace) return undefined;
    return owner.foreground ? 'waiting' : 'solid';
  }

  async #judge(member: Member): Promise<void> {
    const latest = await this.#read(member);
    if (latest === undefined || latest.metadata.deletionTimestamp !== undefined) return;
    const owners: OwnerWithState[] = [];
    try {
      for (const ref of latest.metadata.ownerReferences ?? []) {
        owners.push({ ref, state: await this.#stateOf(ref, member) });
      }
    } catch (error) {
      if (!(error instanceof UnknownOwnerError)) throw error;
      this.#puzzling.add(member.uid);
      this.#parts.log.debug({ uid: member.uid, name: member.name }, error.message);
      return;
    }
    const decision = decide(owners, latest.metadata.finalizers ?? [], this.#graph.dependentsOf(member.uid));
    if (decision.do === 'drop references') await this.#dropReferences(member, latest, decision.uids);
    if (decision.do !== 'delete') return;
    const subject = decision.unblock ? await this.#unblock(member, latest) : latest;
    const { resourceVersion = '' } = subject.metadata;
    this.#parts.log.debug(
      { resource: member.type.plural, namespace: member.namespace, name: member.name },
      'collecting',
    );
    await ignoreNotFound(
      this.#parts.client.delete(member.type, member.name, {
        ...placeOf(member),
        propagationPolicy: decision.policy,
        preconditions: { uid: member.uid, resourceVersion },
      }),
    );
  }

  async #stateOf(ref: KubeOwnerReference, member: Member): Promise<OwnerState> {
    const type = this.#catalog.ofKind(ref.apiVersion, ref.kind);
    const namespace = type?.namespaced === false ? '' : member.namespace;
    const known = this.#known(ref, member);
    if (known !== undefined) return known;
    if (this.#absent.has(ref, namespace)) return 'absent';
    if (type === undefined) throw new UnknownOwnerError(`${ref.kind} of ${ref.apiVersion} is not served`);
    // A cluster-scoped object cannot have a namespaced owner. Its author has to correct that.
    if (type.namespaced && member.namespace === '') return 'solid';
    const found = await ignoreNotFound(this.#parts.client.get(type, ref.name, namespace === '' ? {} : { namespace }));
    if (found?.metadata.uid === ref.uid) {
      const { finalizers = [], deletionTimestamp } = found.metadata;
      return deletionTimestamp !== undefined && finalizers.includes(FOREGROUND) ? 'waiting' : 'solid';
    }
    this.#absent.add(ref, namespace);
    return 'absent';
  }

  /** Removes the finalizer of an owner whose dependents are gone, and deletes those that are not terminating. */
  async #awaitDependents(owner: Member): Promise<void> {
    let blocked = false;
    for (const dependent of this.#graph.dependentsOf(owner.uid)) {
      if (!dependent.owners.some((ref) => ref.uid === owner.uid && blocks(ref))) continue;
      blocked = true;
      if (!dependent.foreground) this.#queue.add(dependent.uid);
    }
    if (!blocked) await this.#takeOff(owner, FOREGROUND);
  }

  /** Removes an owner that orphans its dependents from their references. */
  async #letGo(owner: Member): Promise<void> {
    for (const dependent of Array.from(this.#graph.dependentsOf(owner.uid))) {
      const latest = await this.#read(dependent);
      if (latest !== undefined) await this.#dropReferences(dependent, latest, new Set([owner.uid]));
    }
    await this.#takeOff(owner, ORPHAN);
  }

  async #takeOff(owner: Member, finalizer: string): Promise<void> {
    const latest = await this.#read(owner);
    const { finalizers = [] } = latest?.metadata ?? {};
    if (latest === undefined || !finalizers.includes(finalizer)) return;
    await this.#patch(owner, latest, { finalizers: finalizers.filter((name) => name !== finalizer) });
  }

  async #dropReferences(member: Member, latest: KubeObject, uids: ReadonlySet<string>): Promise<void> {
    const { ownerReferences = [] } = latest.metadata;
    const kept = ownerReferences.filter(({ uid }) => !uids.has(uid));
    if (kept.length < ownerReferences.length) await this.#patch(member, latest, { ownerReferences: kept });
  }

  async #unblock(member: Member, latest: KubeObject): Promise<KubeObject> {
    const ownerReferences = (latest.metadata.ownerReferences ?? []).map((ref) => ({
      ...ref,
      blockOwnerDeletion: false,
    }));
    return (await this.#patch(member, latest, { ownerReferences })) ?? latest;
  }

  async #patch(member: Member, latest: KubeObject, change: object): Promise<KubeObject | undefined> {
    const { uid, resourceVersion } = latest.metadata;
    const body = { metadata: { uid, resourceVersion, ...change } };
    return await ignoreNotFound(
      this.#parts.client.patch(member.type, member.name, { type: 'merge', body }, placeOf(member)),
    );
  }

  /** Reads the current object, undefined if it is gone or its name belongs to another. */
  async #read(member: Member): Promise<KubeObject | undefined> {
    const latest = await ignoreNotFound(this.#parts.client.get(member.type, member.name, placeOf(member)));
    return latest?.metadata.uid === member.uid ? latest : undefined;
  }
}

const placeOf = ({ namespace }: Member) => (namespace === '' ? {} : { namespace });

function referenceTo({ type, name, uid }: Member): KubeOwnerReference {
  return { apiVersion: apiVersionOf(type), kind: type.kind, name, uid };
}
