import { type VMTemplate, vmTemplate } from '../../api/hypersdk/vm-template.ts';
import { type FieldError, invalid } from '../../base/field-error.ts';
import type { Admitter } from '../admitter.ts';
import { isLess, positiveQuantity } from '../amounts.ts';
import { changesSpec } from '../changes-spec.ts';
import { checkCloudInitText } from './cloud-init.ts';
import { checksum, imageSource } from './image.ts';
import { checkMachineSpec } from './machine-spec.ts';
import { networkWarnings } from './networks.ts';

type Spec = VMTemplate['spec'];

const NUMBER = '(?:0|[1-9][0-9]*)';
const PRERELEASE = `(?:${NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)`;
const SEMVER = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-${PRERELEASE}(?:\\.${PRERELEASE})*)?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);

export const vmTemplateAdmitter: Admitter<typeof vmTemplate> = {
  kind: vmTemplate,
  validate(request) {
    if (!changesSpec(request)) return { causes: [], warnings: [] };
    const { spec } = request.object;
    return {
      causes: [
        ...checkVersion('spec.version', spec.version),
        ...checkMachineSpec('spec.defaultSpec', spec.defaultSpec ?? {}),
        ...imageSource('spec.image.source', spec.image.source),
        ...positiveQuantity('spec.image.size', spec.image.size),
        ...checksum('spec.image.checksum', spec.image.checksum),
        ...checkCloudInitText('spec.cloudInit.defaultUserData', spec.cloudInit?.defaultUserData),
        ...checkCloudInitText('spec.cloudInit.defaultNetworkData', spec.cloudInit?.defaultNetworkData),
        ...positiveQuantity('spec.recommendedResources.minMemory', spec.recommendedResources?.minMemory),
        ...positiveQuantity('spec.recommendedResources.minDiskSize', spec.recommendedResources?.minDiskSize),
      ],
      warnings: [
        ...networkWarnings('spec.defaultSpec.networks', spec.defaultSpec?.networks),
        ...unheeded(spec),
        ...tooSmall(spec),
      ],
    };
  },
};

function checkVersion(field: string, version: string): FieldError[] {
  return SEMVER.test(version) ? [] : [invalid(field, version, 'must be a semantic version such as 1.4.0')];
}

/** Defaults that can never take effect, because a machine always has a value of its own there. */
function unheeded({ defaultSpec }: Spec): string[] {
  const own = (['running', 'machineType'] as const).filter((field) => defaultSpec?.[field] !== undefined);
  return [
    ...own.map((field) => `spec.defaultSpec.${field} has no effect: every VirtualMachine has its own ${field}`),
    ...(defaultSpec?.image === undefined ? [] : ['spec.defaultSpec.image is ignored: machines get spec.image']),
  ];
}

/** Defaults that give a machine less than the template itself recommends. */
function tooSmall({ defaultSpec, recommendedResources, image }: Spec): string[] {
  const { minCpus, minMemory, minDiskSize } = recommendedResources ?? {};
  const firstDisk = defaultSpec?.disks?.[0]?.size;
  return [
    ...less('cpus', defaultSpec?.cpus, 'recommendedResources.minCpus', minCpus),
    ...less('memory', defaultSpec?.memory, 'recommendedResources.minMemory', minMemory),
    ...less('disks[0].size', firstDisk, 'recommendedResources.minDiskSize', minDiskSize),
    ...less('disks[0].size', firstDisk, 'image.size', image.size),
  ];
}

type Amount = string | number | undefined;

function less(field: string, value: Amount, than: string, least: Amount): string[] {
  return isLess(value, least) ? [`spec.defaultSpec.${field} (${value}) is less than spec.${than} (${least})`] : [];
}
