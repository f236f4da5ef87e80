import { VMIS, type Vmi } from '#api/kubevirt/resources';
import type { Client, KubeList, ListOptions, WatchEvent } from '#platform/kube/client';
import { isGone } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { instancesByOwner, ownerOf } from '#vm/view/instance-owner';
import { compareVms } from '#vm/view/vm-summary';
import { lineOf } from '../format-table.ts';
import { resourceName } from '../objects/output-format.ts';
import type { VmDeps } from '../vm-deps.ts';
import type { Keeps } from './filter.ts';
import { headingsOf, type OutputFlags, paintOf, rowOf } from './output.ts';
import { summaryOf } from './summary.ts';
import type { CliVm, VmType } from './vm-kinds.ts';

/** VMs to follow, and how they are shown. */
export interface FollowOptions {
  readonly client: Client;
  readonly types: readonly VmType[];
  readonly scope: ListOptions;
  readonly showing: () => OutputFlags;
  /** A VM is shown while it matches. */
  readonly keeps: Keeps;
}

/** Prints a row for every VM, and another whenever its row changes. */
export async function follow(parts: VmDeps, followed: FollowOptions): Promise<void> {
  const rows = new Rows(parts, followed);
  for (;;) {
    try {
      await once(parts.signal, followed, rows);
      return;
    } catch (error) {
      if (parts.signal.aborted) return;
      if (!isGone(error)) throw error;
    }
  }
}

/** Lists the VMs and watches them until the resource version expires. */
async function once(signal: AbortSignal, { client, types, scope }: FollowOptions, rows: Rows): Promise<void> {
  const { namespace } = scope;
  const around = namespace === undefined ? {} : { namespace };
  // Instances come first: a VM without its instance would be shown with no node and no address.
  const instances = await client.list(VMIS, { ...around, signal });
  const lists = await Promise.all(types.map((type) => client.list(type, { ...scope, signal })));
  rows.begin(
    lists.flatMap(({ items }) => items),
    instances.items,
  );
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  const after = <T extends KubeObject>({ metadata }: KubeList<T>) => ({
    resourceVersion: metadata.resourceVersion,
    signal: ended,
  });
  const machineChanges = types.map((type, at) =>
    client.watch(type, { ...scope, ...after(lists[at] as KubeList<CliVm>) }),
  );
  const instanceChanges = client.watch(VMIS, { ...around, ...after(instances) });
  try {
    await Promise.all([
      ...machineChanges.map(async (changes) => {
        for await (const change of changes) rows.machine(change);
      }),
      (async () => {
        for await (const change of instanceChanges) rows.instance(change);
      })(),
    ]);
  } finally {
    stop.abort();
  }
}

/** Records what was printed for each VM. */
class Rows {
  readonly #io: VmDeps['io'];
  readonly #showing: () => OutputFlags;
  readonly #keeps: Keeps;
  #machines = new Map<string, CliVm>();
  #instances = new Map<string, Vmi>();
  readonly #printed = new Map<string, string>();
  #widths: readonly number[] | undefined;

  constructor({ io }: VmDeps, { showing, keeps }: FollowOptions) {
    this.#io = io;
    this.#showing = showing;
    this.#keeps = keeps;
  }

  begin(machines: readonly CliVm[], instances: readonly Vmi[]): void {
    this.#machines = new Map(machines.map((machine) => [machine.metadata.uid ?? '', machine]));
    this.#instances = new Map(instancesByOwner(instances));
    const rows = machines.map((machine) => this.#cells(machine));
    if (this.#widths === undefined) {
      const headings = headingsOf(this.#showing());
      // The columns leave room for later values, which may be longer.
      this.#widths = headings.map((heading, at) =>
        Math.max(heading.length, 12, ...rows.map((row) => row[at]?.length ?? 0)),
      );
      if (this.#showing().format !== 'name') this.#io.out(lineOf(headings, this.#widths));
    }
    for (const machine of machines.toSorted(compareVms)) this.#print(machine);
  }

  machine({ type, object }: WatchEvent<CliVm>): void {
    if (type === 'BOOKMARK') return;
    const uid = object.metadata.uid ?? '';
    if (type === 'DELETED') {
      this.#machines.delete(uid);
      this.#printed.delete(uid);
      return;
    }
    this.#machines.set(uid, object);
    this.#print(object);
  }

  instance({ type, object }: WatchEvent<Vmi>): void {
    const uid = type === 'BOOKMARK' ? undefined : ownerOf(object);
    if (uid === undefined) return;
    if (type === 'DELETED') this.#instances.delete(uid);
    else this.#instances.set(uid, object as Vmi);
    const machine = this.#machines.get(uid);
    if (machine !== undefined) this.#print(machine);
  }

  #cells(machine: CliVm): string[] {
    const showing = this.#showing();
    return rowOf(summaryOf(machine, this.#instances.get(machine.metadata.uid ?? '')), showing);
  }

  /** Prints a row if more than the age has changed, which changes all the time. */
  #print(machine: CliVm): void {
    const uid = machine.metadata.uid ?? '';
    const isNamed = this.#showing().format === 'name';
    const now = Date.parse(machine.metadata.creationTimestamp ?? '');
    const summary = summaryOf(machine, this.#instances.get(uid));
    if (!this.#keeps(summary)) {
      this.#printed.delete(uid);
      return;
    }
    const seen = isNamed ? machine.metadata.resourceVersion : rowOf(summary, { ...this.#showing(), now }).join(' ');
    if (seen === undefined || this.#printed.get(uid) === seen) return;
    this.#printed.set(uid, seen);
    this.#io.out(
      isNamed
        ? `${resourceName(machine)}\n`
        : lineOf(this.#cells(machine), this.#widths ?? [], paintOf(this.#showing())),
    );
  }
}
