import type { ClusterFleet } from '#fleet/exporter/cluster-fleet';
import { isLive, launcherUsageOf, usedAmounts, vmKeyOfPod } from '#fleet/exporter/launcher-usage';
import { podsByVm } from '#fleet/exporter/wait-for-placement';
import { FleetModel, type FleetNode, type FleetVm } from '#fleet/rebalance/fleet-model';
import { NODES, type Node } from '#platform/kube/kinds/node';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import type { Cache, Index } from '#platform/runtime/cache';
import type { Informers } from '#platform/runtime/informers';
import type { ScenarioView, ViewedNode } from '../engine/scenario-view.ts';
import { isUp } from './is-up.ts';

const byNode: Index<Pod> = { values: ({ spec }) => [spec.nodeName ?? ''] };

export interface FleetViewDeps {
  readonly informers: Informers;
  /** Source of the metrics of nodes. */
  readonly fleet: Pick<ClusterFleet, 'loads'>;
  /** Namespace of the scenario's VMs. */
  readonly namespace: string;
  /** VMs that the scenario has created and not deleted. */
  readonly vms: ReadonlySet<string>;
}

/** View of the nodes and VMs of a cluster for a scenario and a rebalancer, from existing watches. */
export class FleetView implements ScenarioView {
  readonly #parts: FleetViewDeps;
  readonly #nodes: Cache<Node>;
  readonly #pods: Cache<Pod>;

  constructor(parts: FleetViewDeps) {
    this.#parts = parts;
    this.#nodes = parts.informers.of(NODES).cache;
    this.#pods = parts.informers.of(PODS).cache;
  }

  nodes(): readonly ViewedNode[] {
    return this.#parts.fleet.loads().map(({ name, cpuUsage, cpuPressure, memoryUsage, memoryPressure, vms }) => ({
      name,
      up: isUp(this.#nodes.get(name)),
      cpuUsage,
      cpuPressure,
      memoryUsage,
      memoryPressure,
      vmCount: vms,
    }));
  }

  nodeOf(vm: string): string | undefined {
    return this.podOf(vm)?.spec.nodeName;
  }

  /** Returns the live pod of a VM. */
  podOf(vm: string): Pod | undefined {
    for (const pod of this.#pods.by(podsByVm, `${this.#parts.namespace}/${vm}`)) if (isLive(pod)) return pod;
    return undefined;
  }

  vmsOn(node: string): readonly string[] {
    const names: string[] = [];
    for (const pod of this.#ownOn(node)) names.push(vmKeyOfPod(pod) ?? '');
    return names.sort();
  }

  pending(): number {
    let waiting = 0;
    for (const vm of this.#parts.vms) if ((this.nodeOf(vm) ?? '') === '') waiting++;
    return waiting;
  }

  running(): number {
    let count = 0;
    for (const vm of this.#parts.vms) if (this.podOf(vm)?.status?.phase === 'Running') count++;
    return count;
  }

  /** Returns the nodes that are up, with the VMs of the scenario. Anything else that runs there is not moved. */
  fleet(): FleetModel {
    const nodes: FleetNode[] = [];
    const vms: FleetVm[] = [];
    for (const load of this.#parts.fleet.loads()) {
      if (!isUp(this.#nodes.get(load.name))) continue;
      const { name, cpuCores, memoryBytes } = load;
      let [cores, bytes] = [0, 0];
      for (const pod of this.#ownOn(name)) {
        const usage = launcherUsageOf(pod);
        const own = { cores: cpuCores, bytes: memoryBytes };
        const used = usage === undefined ? { cores: 0, bytes: 0 } : usedAmounts(usage, own);
        const vm = { cpu: used.cores, memory: used.bytes };
        cores += vm.cpu;
        bytes += vm.memory;
        vms.push({ id: vmKeyOfPod(pod) ?? '', ...vm, node: nodes.length });
      }
      const cpuUsage = Math.max(0, load.cpuUsage - cores / cpuCores);
      const memoryUsage = Math.max(0, load.memoryUsage - bytes / memoryBytes);
      const stationary = { cpuUsage, memoryUsage, cpuPressure: 0, memoryPressure: 0 };
      nodes.push({
        name,
        cpu: cpuCores,
        memory: memoryBytes,
        ...(cpuUsage + memoryUsage > 1e-6 ? { stationary } : {}),
      });
    }
    return FleetModel.of(nodes, vms);
  }

  /** Returns the live pods of the scenario's VMs, sorted by VM name, since caches have no order. */
  #ownOn(node: string): readonly Pod[] {
    const { vms, namespace } = this.#parts;
    const own: Pod[] = [];
    for (const pod of this.#pods.by(byNode, node)) {
      if (pod.metadata.namespace === namespace && vms.has(vmKeyOfPod(pod) ?? '') && isLive(pod)) own.push(pod);
    }
    return own.sort((a, b) => ((vmKeyOfPod(a) ?? '') < (vmKeyOfPod(b) ?? '') ? -1 : 1));
  }
}
