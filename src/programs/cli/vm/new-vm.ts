import { UsageError } from '#platform/base/errors';
import { dns1123SubdomainProblems } from '#platform/base/names';
import type { KubeObject } from '#platform/kube/kube-object';
import { registrationOf } from '#vm/dialects/dialect-of';
import type { NewVmExtra, NewVmOptions } from '#vm/dialects/registration';
import { REGISTRATIONS } from '#vm/dialects/registrations';
import { definedFields } from '../../../platform/base/defined-fields.ts';

export interface NewVm extends NewVmOptions {
  readonly group: string;
  readonly name: string;
  /** If absent, the user who applies the object chooses the namespace. */
  readonly namespace?: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
}

/** Builds the smallest VirtualMachine of a group with this size. */
export function newVm(target: NewVm): KubeObject {
  const { group, name, namespace, labels } = target;
  assertName(name);
  const registration = registrationOf(group);
  rejectExtras(target, registration.newVmExtras ?? []);
  return {
    apiVersion: registration.dialect.kind.apiVersion,
    kind: 'VirtualMachine',
    metadata: {
      name,
      ...definedFields({ namespace }),
      ...(Object.keys(labels).length === 0 ? {} : { labels: { ...labels } }),
    },
    spec: registration.newVmSpec(target),
  };
}

/** Rejects a name that no object can have, in words that are shorter than the server's, with one that it can have. */
function assertName(name: string): void {
  if (dns1123SubdomainProblems(name).length === 0) return;
  const possible = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, '-')
    .replaceAll(/^[.-]+|[.-]+$/g, '');
  const suggestion = dns1123SubdomainProblems(possible).length === 0 ? `: try ${possible}` : '';
  throw new UsageError(
    `a VM cannot be named "${name}": names consist of lower case letters, digits and -, and begin and end with a letter or digit${suggestion}`,
  );
}

const FLAGS: Readonly<Record<NewVmExtra, string>> = {
  template: '--template',
  templateNamespace: '--template-namespace',
  checksum: '--checksum',
  disk: '--disk',
  userData: '--user-data',
};

/** Rejects flags that VMs of the group have no fields for. */
function rejectExtras(target: NewVm, supported: readonly NewVmExtra[]): void {
  const { group } = target;
  const extras = (Object.keys(FLAGS) as NewVmExtra[]).filter(
    (extra) => target[extra] !== undefined && !supported.includes(extra),
  );
  if (extras.length === 0) return;
  const other = Object.values(REGISTRATIONS).find(({ newVmExtras = [] }) =>
    extras.every((extra) => newVmExtras.includes(extra)),
  );
  throw new UsageError(`VMs of ${group} do not support ${extras.map((extra) => FLAGS[extra]).join(', ')}`, {
    hint: `--group ${other?.dialect.kind.group ?? ''} supports them; for VMs of ${group}, write a manifest.`,
  });
}
