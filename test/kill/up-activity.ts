import { OPERATIONS } from '#api/hypersdk/operation-resources';
import { VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { VMIMS, VMS } from '#api/kubevirt/resources';
import type { Random } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { CONFIG_MAPS } from '#platform/kube/kinds/core';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '#platform/kube/kinds/rbac';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import type { Ledger } from './up-ledger.ts';

export const namespace = 'default';
/** VMs that exist and run from the first to the last moment. */
export const MACHINES = ['vm-0', 'vm-1', 'vm-2', 'vm-3', 'vm-4', 'vm-5'];
export const AGGREGATED = 'rbac.authorization.k8s.io/aggregate-to-view';

/** VMs with a disk that can be written from two nodes, and with so much memory that a migration takes a while. */
export async function makeMachines(client: Client, ledger: Ledger): Promise<void> {
  for (const name of MACHINES) {
    await ledger.write(client, PERSISTENT_VOLUME_CLAIMS, {
      metadata: { name: `disk-${name}`, namespace },
      spec: {
        accessModes: ['ReadWriteMany'],
        storageClassName: 'fast-ssd',
        resources: { requests: { storage: '1Gi' } },
      },
    });
    const devices = { disks: [{ name: 'root', disk: {} }] };
    const domain = { cpu: { sockets: 1 }, memory: { guest: '8Gi' }, devices };
    const volumes = [{ name: 'root', persistentVolumeClaim: { claimName: `disk-${name}` } }];
    const annotations = { 'vimana.io/memory-utilization': '0.2', 'vimana.io/shutdown-duration': '200ms' };
    await ledger.write(client, VMS, {
      metadata: { name, namespace },
      spec: { runStrategy: 'Always', template: { metadata: { annotations }, spec: { domain, volumes } } },
    });
  }
}

/** User actions on VMs and roles, one after the other, until the server is killed. */
export class Activity {
  readonly #random: Random;
  readonly #ledger: Ledger;
  #count = 0;
  /** VMs that were restarted on request since this was last cleared. */
  readonly restarted = new Set<string>();
  /** Clones that were not deleted. */
  readonly copies = new Set<string>();
  readonly #snapshots: string[] = [];

  constructor(random: Random, ledger: Ledger) {
    this.#random = random;
    this.#ledger = ledger;
  }

  /** Performs one action. Throws a KubeError if the server rejects it, and another error if the server was killed. */
  async act(client: Client): Promise<void> {
    const random = this.#random;
    const number = ++this.#count;
    const vm = random.pick(MACHINES);
    const activity = random.pick(['migrate', 'migrate', 'migrate', 'clone', 'restore', 'role', 'role', 'note', 'tidy']);
    if (activity === 'migrate') await this.#migrate(client, vm, number);
    if (activity === 'clone') await this.#clone(client, vm, number);
    if (activity === 'restore') await this.#restore(client, vm, number);
    if (activity === 'role') await this.#role(client);
    if (activity === 'note') await this.#note(client);
    if (activity === 'tidy') await this.#tidy(client);
  }

  async #migrate(client: Client, vm: string, number: number): Promise<void> {
    if (this.#random.next() < 0.5)
      return await this.#ask(client, vm, number, 'migrate', { migrateSpec: { live: true } });
    const spec = { vmiName: vm };
    // The migration is not tracked: it is deleted with its instance, and only some finished ones are retained.
    await client.create(VMIMS, { metadata: { name: `mig-${number}`, namespace }, spec });
  }

  async #clone(client: Client, vm: string, number: number): Promise<void> {
    const targetName = `copy-${number}`;
    this.copies.add(targetName);
    await this.#ask(client, vm, number, 'clone', { cloneSpec: { targetName, linkedClone: this.#random.next() < 0.5 } });
  }

  async #restore(client: Client, vm: string, number: number): Promise<void> {
    this.restarted.add(vm);
    const name = `snap-${number}`;
    await this.#ask(client, vm, number, 'snapshot', { snapshotSpec: { name } });
    this.#snapshots.push(name);
    await this.#ask(client, vm, ++this.#count, 'restore', { restoreSpec: { snapshotName: name } });
  }

  async #ask(client: Client, vm: string, number: number, operation: string, more: object): Promise<void> {
    const spec = { vmRef: { name: vm, apiGroup: 'kubevirt.io' }, operation, timeout: '2m', ...more };
    await this.#ledger.write(client, OPERATIONS, { metadata: { name: `op-${number}`, namespace }, spec });
  }

  /** Aggregated roles of the role view, and their subjects. */
  async #role(client: Client): Promise<void> {
    const name = `kill-${this.#random.int(0, 5)}`;
    const rules = [{ apiGroups: ['example.com'], resources: [name], verbs: [this.#random.pick(['get', 'list'])] }];
    if (this.#ledger.has(CLUSTER_ROLES, name) && this.#random.next() < 0.3) {
      return await this.#ledger.remove(client, CLUSTER_ROLES, name);
    }
    await this.#ledger.write(client, CLUSTER_ROLES, { metadata: { name, labels: { [AGGREGATED]: 'true' } }, rules });
    if (this.#ledger.has(CLUSTER_ROLE_BINDINGS, name)) return;
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }];
    await this.#ledger.write(client, CLUSTER_ROLE_BINDINGS, { metadata: { name }, roleRef, subjects });
  }

  async #note(client: Client): Promise<void> {
    const name = `note-${this.#random.int(0, 9)}`;
    const data = { text: 'ü'.repeat(this.#random.int(0, 2000)) };
    await this.#ledger.write(client, CONFIG_MAPS, { metadata: { name, namespace }, data });
  }

  /** Deletes clones and snapshots that are not needed. */
  async #tidy(client: Client): Promise<void> {
    const [copy] = this.copies;
    if (copy !== undefined && this.copies.size > 2) {
      this.copies.delete(copy);
      await client.delete(VMS, copy, { namespace });
    }
    if (this.#snapshots.length <= 4) return;
    const snapshot = this.#snapshots.shift() ?? '';
    await client.delete(VM_SNAPSHOTS, snapshot, { namespace });
  }
}
