import { IN_USE, namedUsers, TEMPLATE_FINALIZER, templateKey } from '#api/hypersdk/template-use';
import { virtualMachine } from '#api/hypersdk/virtual-machine';
import { type VMTemplate, vmTemplate } from '#api/hypersdk/vm-template';
import { type FieldError, forbidden, index, invalid } from '#platform/base/field-error';
import type { AdmissionRequest, Admitter } from '#vm/admission/admitter';
import { isLess, plausibleBytes, positiveQuantity } from '#vm/admission/amounts';
import { changesSpec } from '#vm/admission/changes-spec';
import { qualifiedName } from '#vm/admission/names';
import { validateCloudInitText } from './cloud-init.ts';
import { checksum, imageSource } from './image.ts';
import { networkWarnings } from './networks.ts';
import { validateVmSpec } from './vm-spec.ts';

type Spec = VMTemplate['spec'];

const NUMBER = '(?:0|[1-9][0-9]*)';
const PRERELEASE = `(?:${NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)`;
const SEMVER = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-${PRERELEASE}(?:\\.${PRERELEASE})*)?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);

export const vmTemplateAdmitter: Admitter<typeof vmTemplate> = {
  kind: vmTemplate,
  finalizer: TEMPLATE_FINALIZER,
  validate(request) {
    if (request.operation === 'DELETE') return { causes: validateUnused(request), warnings: [] };
    if (!changesSpec(request)) return { causes: [], warnings: [] };
    const {
      object: { spec },
      old,
    } = request;
    return {
      causes: [
        ...validateVersion('spec.version', spec.version),
        ...validateVmSpec('spec.defaultSpec', spec.defaultSpec ?? {}, old?.spec.defaultSpec),
        ...imageSource('spec.image.source', spec.image.source),
        ...positiveQuantity('spec.image.size', spec.image.size),
        ...validateFeatures('spec.requiredFeatures', spec.requiredFeatures),
        ...checksum('spec.image.checksum', spec.image.checksum),
        ...validateCloudInitText('spec.cloudInit.defaultUserData', spec.cloudInit?.defaultUserData),
        ...validateCloudInitText('spec.cloudInit.defaultNetworkData', spec.cloudInit?.defaultNetworkData),
        ...plausibleBytes('spec.recommendedResources.minMemory', spec.recommendedResources?.minMemory, 'memory'),
        ...plausibleBytes('spec.recommendedResources.minDiskSize', spec.recommendedResources?.minDiskSize, 'disk'),
      ],
      warnings: [
        ...networkWarnings('spec.defaultSpec.networks', spec.defaultSpec?.networks),
        ...ineffectiveDefaults(spec),
        ...sharedAddresses('spec.defaultSpec.networks', spec.defaultSpec?.networks),
        ...tooSmall(spec),
      ],
    };
  },
};

/** Members of this group clean up for others, so they are not rejected. The finalizer protects what is in use. */
const CLEANERS = 'system:serviceaccounts:kube-system';

/**
 * Rejects the deletion of a template in use. The controller's count may be outdated: the finalizer protects what it has
 * not seen yet, and the VMs that it names are looked up again.
 */
function validateUnused({ object, user, lookup }: AdmissionRequest<VMTemplate>): FieldError[] {
  const { usageCount = 0, conditions = [] } = object.status ?? {};
  if (usageCount === 0 || user.groups.includes(CLEANERS)) return [];
  const users = conditions.find(({ type }) => type === IN_USE)?.message ?? `${usageCount} VMs`;
  const own = `${object.metadata.namespace}/${object.metadata.name}`;
  const named = namedUsers(users);
  const isLeft = ({ namespace, name }: { readonly namespace: string; readonly name: string }) => {
    const machine = lookup(virtualMachine, namespace, name);
    return machine !== undefined && templateKey(machine) === own;
  };
  if (named.length === usageCount && !named.some(isLeft)) return [];
  const detail = `the template is in use by ${users}. Delete these VMs, or change their template, first`;
  return [forbidden('metadata.name', detail)];
}

/** Validates features, which are matched as labels of nodes. */
function validateFeatures(field: string, features: readonly string[] = []): FieldError[] {
  return features.flatMap((feature, i) =>
    feature.includes('/')
      ? [invalid(index(field, i), feature, 'must be one word, such as kvm')]
      : qualifiedName(index(field, i), feature),
  );
}

/** Returns warnings for MAC addresses, which must belong to one VM. */
function sharedAddresses(field: string, networks: readonly { readonly macAddress?: string }[] = []): string[] {
  return networks.flatMap(({ macAddress }, i) =>
    macAddress === undefined ? [] : [`${index(field, i)}.macAddress is ignored: VMs cannot share an address`],
  );
}

function validateVersion(field: string, version: string): FieldError[] {
  return SEMVER.test(version) ? [] : [invalid(field, version, 'must be a semantic version such as 1.4.0')];
}

/** Returns warnings for defaults that never take effect, because a VM always has its own value. */
function ineffectiveDefaults({ defaultSpec }: Spec): string[] {
  const own = (['running', 'machineType'] as const).filter((field) => defaultSpec?.[field] !== undefined);
  return [
    ...own.map((field) => `spec.defaultSpec.${field} has no effect: every VirtualMachine has its own ${field}`),
    ...(defaultSpec?.image === undefined ? [] : ['spec.defaultSpec.image is ignored: VMs use spec.image']),
  ];
}

/** Returns warnings for defaults below the template's own recommendations. */
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

function less(field: string, value: Amount, than: string, min: Amount): string[] {
  return isLess(value, min) ? [`spec.defaultSpec.${field} (${value}) is less than spec.${than} (${min})`] : [];
}
