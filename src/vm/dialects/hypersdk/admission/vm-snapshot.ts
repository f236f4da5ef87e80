import { type VMSnapshot, vmSnapshot } from '#api/hypersdk/vm-snapshot';
import { type FieldError, invalid } from '#platform/base/field-error';
import type { Admitter } from '#vm/admission/admitter';
import { changesSpec } from '#vm/admission/changes-spec';
import { subdomain } from '#vm/admission/names';
import { validateVMReference } from './vm-reference.ts';

const LOCATION = /^(?:s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[^\s]*)?|local:\/\/\/[^\s]+)$/;

export const vmSnapshotAdmitter: Admitter<typeof vmSnapshot> = {
  kind: vmSnapshot,
  validate(request) {
    if (!changesSpec(request)) return { causes: [], warnings: [] };
    const { vmRef, destination, retention } = request.object.spec;
    return {
      causes: [
        ...validateVMReference('spec.vmRef', vmRef),
        ...subdomain('spec.destination.storageClass', destination?.storageClass),
        ...validateLocation('spec.destination.location', destination?.location),
      ],
      warnings: [...retentionWarnings(retention), ...destinationWarnings(destination)],
    };
  },
};

function validateLocation(field: string, location: string | undefined): FieldError[] {
  if (location === undefined || LOCATION.test(location)) return [];
  return [invalid(field, location, 'must be s3://bucket/prefix or local:///directory')];
}

/** Returns warnings for a destination, which is stored for a future copy of snapshots but not supported yet. */
function destinationWarnings(destination: VMSnapshot['spec']['destination']): string[] {
  return Object.keys(destination ?? {}).map(
    (field) => `spec.destination.${field}: snapshots are stored with the disks; this one will fail without any change`,
  );
}

function retentionWarnings(retention: VMSnapshot['spec']['retention']): string[] {
  return retention?.expiresAt !== undefined && retention.keepDays !== undefined
    ? ['spec.retention.keepDays is ignored: expiresAt takes precedence']
    : [];
}
