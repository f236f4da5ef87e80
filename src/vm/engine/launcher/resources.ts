import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import type { LauncherSize } from '#api/launcher-size';
import {
  add,
  formatQuantity,
  milliQuantityOf,
  parseQuantity,
  type Quantity,
  quantityOf,
  value,
} from '#platform/base/quantity';
import type { Resources } from '#platform/kube/kinds/pod';
import type { LauncherSettings } from './settings.ts';

type Domain = InstanceSpec['domain'];
type Amounts = Record<string, string | number>;

/** Computes the resources of a launcher: the VM's explicit ones, and the rest derived from its size. */
export function launcherResources(spec: InstanceSpec, settings: LauncherSettings): Resources {
  const { domain } = spec;
  const requests: Amounts = { ...domain.resources?.requests };
  const limits: Amounts = { ...domain.resources?.limits };
  addCpu(domain, settings.cpuAllocationRatio, requests, limits);
  addMemory(domain, settings.memoryOverhead, requests, limits);
  addScratch(spec, requests);
  addDevices(domain, requests, limits);
  return { requests, ...(Object.keys(limits).length === 0 ? {} : { limits }) };
}

/** Returns the part of the size that can change while a VM runs. */
export function launcherSize({ domain }: InstanceSpec): LauncherSize {
  const { memory, resources } = domain;
  const guest = memory?.guest ?? resources?.requests?.['memory'] ?? resources?.limits?.['memory'] ?? 0;
  return { sockets: domain.cpu?.sockets ?? 1, memory: String(guest) };
}

export function vcpusOf({ cpu }: Domain): number {
  const { sockets = 1, cores = 1, threads = 1 } = cpu ?? {};
  return sockets * cores * threads;
}

function addCpu(domain: Domain, ratio: number, requests: Amounts, limits: Amounts): void {
  const vcpus = vcpusOf(domain);
  if (isDedicated(domain)) {
    requests['cpu'] ??= limits['cpu'] ?? vcpus;
    limits['cpu'] ??= requests['cpu'];
    return;
  }
  requests['cpu'] ??= limits['cpu'] ?? formatQuantity(milliQuantityOf(Math.ceil((vcpus * 1000) / ratio)));
}

const isDedicated = ({ cpu }: Domain) =>
  (cpu as { readonly dedicatedCpuPlacement?: boolean } | undefined)?.dedicatedCpuPlacement === true;

function addMemory(
  domain: Domain,
  overhead: LauncherSettings['memoryOverhead'],
  requests: Amounts,
  limits: Amounts,
): void {
  const { memory, resources } = domain;
  const requested = resources?.requests?.['memory'] ?? resources?.limits?.['memory'] ?? memory?.guest;
  const pageSize = memory?.hugepages?.pageSize;
  const beside = overhead === 'none' ? undefined : qemuOverhead(domain, memory?.guest ?? requested ?? 0);
  if (pageSize !== undefined) {
    const guest = memory?.guest ?? requested;
    // Hugepages hold the guest memory. Regular memory holds only the overhead.
    if (guest !== undefined) requests[`hugepages-${pageSize}`] = limits[`hugepages-${pageSize}`] = guest;
    delete limits['memory'];
    if (beside === undefined) delete requests['memory'];
    else requests['memory'] = formatQuantity(beside);
    return;
  }
  if (requested !== undefined) requests['memory'] = plus(requested, beside);
  const limit = resources?.limits?.['memory'];
  if (limit !== undefined) limits['memory'] = plus(limit, beside);
  else if (isDedicated(domain) && requests['memory'] !== undefined) limits['memory'] = requests['memory'];
}

function plus(amount: string | number, beside: Quantity | undefined): string | number {
  return beside === undefined ? amount : formatQuantity(add(parseQuantity(amount), beside));
}

const MI = 2 ** 20;
/** Overhead of the processes around the guest, its CPUs, one I/O thread, video memory, and a passthrough device. */
const FIXED = 220 * MI;
const PER_CPU = 8 * MI;
const IO_THREAD = 8 * MI;
const VIDEO = 32 * MI;
const PASSED_THROUGH = 1024 * MI;

/** Computes the memory overhead of QEMU and its helpers, as KubeVirt does. */
function qemuOverhead(domain: Domain, guest: string | number): Quantity {
  const pageTables = Math.ceil(value(parseQuantity(guest)) / 512);
  const { autoattachGraphicsDevice, gpus = [] } = domain.devices;
  const video = autoattachGraphicsDevice === false ? 0 : VIDEO;
  const devices = gpus.length > 0 ? PASSED_THROUGH : 0;
  return quantityOf(FIXED + pageTables + vcpusOf(domain) * PER_CPU + IO_THREAD + video + devices, 'BinarySI');
}

/** Adds the ephemeral storage of disks that live as long as the pod. */
function addScratch({ volumes = [] }: InstanceSpec, requests: Amounts): void {
  const sizes = volumes.flatMap(({ emptyDisk }) =>
    emptyDisk === undefined ? [] : [parseQuantity(emptyDisk.capacity)],
  );
  if (sizes.length === 0) return;
  const name = 'ephemeral-storage';
  const sum = sizes.reduce(add);
  requests[name] = formatQuantity(requests[name] === undefined ? sum : add(parseQuantity(requests[name]), sum));
}

/** Adds devices. They cannot be overcommitted, so the request is also the limit. */
function addDevices({ devices }: Domain, requests: Amounts, limits: Amounts): void {
  const { hostDevices = [] } = devices as { readonly hostDevices?: readonly { readonly deviceName?: string }[] };
  const counts = new Map<string, number>();
  for (const { deviceName } of [...(devices.gpus ?? []), ...hostDevices]) {
    if (deviceName !== undefined) counts.set(deviceName, (counts.get(deviceName) ?? 0) + 1);
  }
  for (const [name, count] of counts) requests[name] = limits[name] = String(count);
  for (const [name, amount] of Object.entries(requests)) if (isDevice(name)) limits[name] ??= amount;
  for (const [name, amount] of Object.entries(limits)) if (isDevice(name)) requests[name] ??= amount;
}

/** Reports whether a resource is a device, counted in whole units: neither Kubernetes' own nor hugepages. */
const isDevice = (name: string) => name.includes('/') && !name.includes('kubernetes.io/');
