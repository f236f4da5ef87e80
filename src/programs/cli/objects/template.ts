import { type VMTemplateInput, vmTemplate } from '#api/hypersdk/vm-template';
import { binaryMemory } from '#vm/dialects/hypersdk/binary-memory';
import { definedFields, hasDefinedFields } from '../../../platform/base/defined-fields.ts';
import { type ChecksumFlag, type DiskFlag, disksOf } from './size-flags.ts';

export interface TemplateFlags {
  readonly template: string;
  readonly namespace?: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly templateVersion?: string;
  readonly os?: string;
  readonly distribution?: string;
  readonly osVersion?: string;
  readonly image?: string;
  readonly checksum?: ChecksumFlag;
  readonly cpus?: number;
  readonly memory?: string;
  readonly disk?: readonly DiskFlag[];
}

/** Builds a VMTemplate for an image. */
export function newTemplate(flags: TemplateFlags): VMTemplateInput {
  const { template, namespace, displayName, description, templateVersion, image, checksum } = flags;
  const { os, distribution, osVersion, cpus, memory, disk } = flags;
  return {
    apiVersion: vmTemplate.apiVersion,
    kind: vmTemplate.kind,
    metadata: { name: template, ...definedFields({ namespace }) },
    spec: {
      displayName: displayName ?? template,
      ...definedFields({
        description,
        version: templateVersion,
        osInfo: hasDefinedFields({ type: os as 'linux' | undefined, distribution, version: osVersion }),
        defaultSpec: hasDefinedFields({ cpus, memory: memory && binaryMemory(memory), disks: disksOf(disk) }),
      }),
      image: { source: image ?? '', ...definedFields({ checksum }) },
    },
  };
}
