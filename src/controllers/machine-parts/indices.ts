import { templateKey } from '../../api/hypersdk/template-use.ts';
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim, STORAGE_CLASSES } from '../../kube/kinds/storage.ts';
import type { Cache, Change, Index } from '../../runtime/cache.ts';
import { type Watched, watched } from '../../runtime/controller.ts';
import { keyIn, keyOf } from '../../runtime/key.ts';
import { MACHINES, type Machine, TEMPLATES } from './resources.ts';

/** Machines by the claims that their disks are to be copies of. */
const bySource: Index<Machine> = {
  values: ({ metadata, spec }) =>
    (spec.disks ?? []).flatMap(({ source }) =>
      source?.pvc === undefined ? [] : [keyIn(metadata.namespace, source.pvc)],
    ),
};

/** Machines by the template that they are made from. */
export const byTemplate: Index<Machine> = {
  values(machine) {
    const key = templateKey(machine);
    return key === undefined ? [] : [key];
  },
};

/** Machines that a claim may be the disk of: those whose name it begins with; and those that copy it. */
function* concerned({ metadata }: PersistentVolumeClaim, machines: Cache<Machine>): Generator<string> {
  const { name = '', namespace } = metadata;
  for (let dash = name.indexOf('-'); dash > 0; dash = name.indexOf('-', dash + 1)) {
    const key = keyIn(namespace, name.slice(0, dash));
    if (machines.get(key) !== undefined) yield key;
  }
  for (const machine of machines.by(bySource, keyOf({ metadata }))) yield keyOf(machine);
}

const sizesOf = ({ spec, status }: PersistentVolumeClaim) =>
  `${spec.resources?.requests?.['storage']} ${status?.capacity?.['storage']}`;

/** What a disk holds changes all the time, and is no matter of its machine. */
function isOther({ object, old }: Change<PersistentVolumeClaim>): boolean {
  if (old === undefined) return true;
  const [a, b] = [object.metadata, old.metadata];
  return (
    object.status?.phase !== old.status?.phase ||
    sizesOf(object) !== sizesOf(old) ||
    a.deletionTimestamp !== b.deletionTimestamp ||
    JSON.stringify([a.labels, a.ownerReferences]) !== JSON.stringify([b.labels, b.ownerReferences])
  );
}

export const claimWatch: Watched = watched(PERSISTENT_VOLUME_CLAIMS, (claim, { cache }, change) =>
  isOther(change) ? concerned(claim, cache(MACHINES)) : [],
);

/** Machines with disks that did not get what was asked for. */
const bySmallDisks: Index<Machine> = { values: ({ status }) => (status?.smallDisks === undefined ? [] : ['small']) };

/** A class may let its volumes grow by now. */
export const classWatch: Watched = watched(STORAGE_CLASSES, (_class, { cache }) =>
  [...cache(MACHINES).by(bySmallDisks, 'small')].map(keyOf),
);

export const templateWatch: Watched = watched(TEMPLATES, (template, { cache }) =>
  [...cache(MACHINES).by(byTemplate, keyOf(template))].map(keyOf),
);
