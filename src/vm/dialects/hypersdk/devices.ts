import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import type { Problem } from '#vm/engine/dialect';

type Spec = VirtualMachine['spec'];
type Gpu = NonNullable<Spec['gpus']>[number];
type Devices = InstanceSpec['domain']['devices'];

/** Returns the extended resource of a GPU: the named one, else the vendor's for the model, or any of the vendor. */
function resourceOf({ resourceName, deviceName, vendor, model }: Gpu): string | undefined {
  if (resourceName !== undefined) return resourceName;
  if (deviceName?.includes('/') === true) return deviceName;
  return vendor === undefined ? undefined : `${vendor.toLowerCase()}.com/${model ?? 'gpu'}`;
}

/** Returns GPUs and USB devices, each of which nodes must offer as an extended resource. */
export function devicesOf({ gpus = [], usbDevices = [] }: Spec): Partial<Devices> {
  const cards = gpus.flatMap((gpu, i) => {
    const deviceName = resourceOf(gpu);
    const { name = `gpu${i + 1}`, count = 1 } = gpu;
    if (deviceName === undefined) return [];
    return Array.from({ length: count }, (_, k) => ({ name: k === 0 ? name : `${name}-${k + 1}`, deviceName }));
  });
  const hostDevices = usbDevices.flatMap(({ name, resourceName: deviceName }) =>
    deviceName === undefined ? [] : [{ name, deviceName }],
  );
  return {
    ...(cards.length === 0 ? {} : { gpus: cards }),
    ...(hostDevices.length === 0 ? {} : { hostDevices }),
  };
}

/** Returns the problem of a device that cannot be requested from any node. The VM must not run without it. */
export function unsupportedDevice({ gpus = [], usbDevices = [] }: Spec): Problem | undefined {
  const gpu = gpus.findIndex((each) => resourceOf(each) === undefined);
  if (gpu !== -1) {
    const message = `spec.gpus[${gpu}] does not identify a device: set resourceName, such as nvidia.com/gpu, or vendor`;
    return { reason: 'DeviceNotSupported', message };
  }
  const usb = usbDevices.findIndex(({ resourceName }) => resourceName === undefined);
  if (usb === -1) return undefined;
  const { name } = usbDevices[usb] as { readonly name: string };
  const message = `spec.usbDevices[${usb}] (${name}) is identified by vendorId and productId, which is not supported: set the resourceName under which nodes provide it`;
  return { reason: 'DeviceNotSupported', message };
}
