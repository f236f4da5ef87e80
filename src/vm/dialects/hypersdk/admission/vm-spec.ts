import type { Partially } from '#api/hypersdk/partial';
import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import { duplicate, type FieldError, forbidden, index, invalid } from '#platform/base/field-error';
import { plausibleBytes, positiveDuration } from '#vm/admission/amounts';
import { annotations, label, labels, qualifiedName, subdomain } from '#vm/admission/names';
import { validateOwnLabels } from '#vm/admission/own-labels';
import { validateAffinity, validateTolerations } from '#vm/admission/placement';
import { repeats } from '#vm/admission/repeats';
import { validateCloudInitText } from './cloud-init.ts';
import { validateDisks } from './disks.ts';
import { checksum, imageSource } from './image.ts';
import { validateNetworks } from './networks.ts';

/** Spec of a VM or of a template, where any field can be omitted. */
export type VmSpec = Partially<VirtualMachine['spec']>;

const ZONE = /^[A-Z]{2}(?:-[A-Z0-9]+)*$/;

/** Validates a spec. `before` is the stored one, if any. */
export function validateVmSpec(field: string, spec: VmSpec, before: VmSpec = {}): FieldError[] {
  const { image, cloudInit, carbonAware } = spec;
  return [
    ...plausibleBytes(`${field}.memory`, spec.memory, 'memory'),
    ...validateDisks(`${field}.disks`, spec.disks),
    ...validateNetworks(`${field}.networks`, spec.networks),
    ...imageSource(`${field}.image.source`, image?.source),
    ...subdomain(`${field}.image.templateRef.name`, image?.templateRef?.name),
    ...label(`${field}.image.templateRef.namespace`, image?.templateRef?.namespace),
    ...checksum(`${field}.image.checksum`, image?.checksum),
    ...validateCloudInitText(`${field}.cloudInit.userData`, cloudInit?.userData),
    ...validateCloudInitText(`${field}.cloudInit.networkData`, cloudInit?.networkData),
    ...subdomain(`${field}.cloudInit.secretRef.name`, cloudInit?.secretRef?.name),
    ...labels(`${field}.nodeSelector`, spec.nodeSelector),
    ...validateAffinity(`${field}.affinity`, spec.affinity),
    ...validateTolerations(`${field}.tolerations`, spec.tolerations),
    ...validateZone(`${field}.carbonAware.zone`, carbonAware?.zone),
    ...positiveDuration(`${field}.carbonAware.maxDelay`, carbonAware?.maxDelay),
    ...positiveDuration(`${field}.highAvailability.restartDelay`, spec.highAvailability?.restartDelay),
    ...validateDevices(`${field}.gpus`, spec.gpus),
    ...validateDevices(`${field}.usbDevices`, spec.usbDevices),
    ...labels(`${field}.labels`, spec.labels),
    ...validateOwnLabels(`${field}.labels`, spec.labels, before.labels),
    ...(needsAnother(spec) && !needsAnother(before) ? [NEEDS_Q35(`${field}.firmware.secureBoot`)] : []),
    ...annotations(`${field}.annotations`, spec.annotations),
  ];
}

/** Only q35 can protect from guests what secure boot relies on. */
const needsAnother = ({ firmware, machineType }: VmSpec) => firmware?.secureBoot === true && machineType === 'pc';
const NEEDS_Q35 = (field: string) => forbidden(field, 'needs machineType q35: pc has no system management mode');

function validateZone(field: string, zone: string | undefined): FieldError[] {
  if (zone === undefined || ZONE.test(zone)) return [];
  return [invalid(field, zone, 'must be a country code, optionally with a grid area: DE, US-CAL-CISO')];
}

interface Device {
  readonly name?: string;
  readonly resourceName?: string;
}

function validateDevices(field: string, devices: readonly Device[] = []): FieldError[] {
  return [
    ...devices.flatMap(({ name, resourceName }, i) => [
      ...label(`${index(field, i)}.name`, name),
      ...qualifiedName(`${index(field, i)}.resourceName`, resourceName),
    ]),
    ...repeats(devices, ({ name }) => name).map((i) => duplicate(`${index(field, i)}.name`, devices[i]?.name)),
  ];
}
