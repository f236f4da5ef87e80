import type { Client } from '#platform/kube/client';
import {
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  STORAGE_CLASSES,
} from '#platform/kube/kinds/storage';
import { BIND_COMPLETED, BOUND_BY_CONTROLLER, storageClassNameOf } from '#platform/kube/kinds/volume-binding';
import { ignoreNotFound } from '#platform/kube/kube-error';
import type { Index } from '#platform/runtime/cache';
import { type Context, type Controller, watchSource } from '#platform/runtime/controller';
import { keyIn, keyOf } from '#platform/runtime/key';
import { writeStatus } from '#platform/runtime/status';
import { planClaim } from './claim-plan.ts';
import { planVolume, withoutClaim } from './volume-plan.ts';

const PROVISIONER = ['volume.beta.kubernetes.io/storage-provisioner', 'volume.kubernetes.io/storage-provisioner'];

const isBound = ({ metadata }: PersistentVolumeClaim) => metadata.annotations?.[BIND_COMPLETED] !== undefined;

/** Indexes unbound claims by class. */
const openByClass: Index<PersistentVolumeClaim> = {
  values: (claim) => (isBound(claim) ? [] : [storageClassNameOf(claim)]),
};
const byClaim: Index<PersistentVolume> = {
  values: ({ spec: { claimRef } }) => (claimRef === undefined ? [] : [keyIn(claimRef.namespace, claimRef.name)]),
};

/** Binds claims to volumes. */
export const claimBinder: Controller<PersistentVolumeClaim> = {
  name: 'claim binder',
  for: PERSISTENT_VOLUME_CLAIMS,
  // Two claims that pick the same volume write it at the same resource version, so one of them fails and retries.
  concurrency: 64,
  watches: [
    watchSource(PERSISTENT_VOLUMES, (volume, { cache }) => {
      const { claimRef } = volume.spec;
      if (claimRef !== undefined) return [keyIn(claimRef.namespace, claimRef.name)];
      return [...cache(PERSISTENT_VOLUME_CLAIMS).by(openByClass, storageClassNameOf(volume))].map(keyOf);
    }),
    watchSource(STORAGE_CLASSES, ({ metadata }, { cache }) =>
      [metadata.name ?? '', ''].flatMap((name) =>
        [...cache(PERSISTENT_VOLUME_CLAIMS).by(openByClass, name)].map(keyOf),
      ),
    ),
  ],
  async reconcile(claim, context) {
    const { cache, client } = context;
    const storage = { volumes: [...cache(PERSISTENT_VOLUMES).all()], classes: [...cache(STORAGE_CLASSES).all()] };
    const step = planClaim(claim, storage);
    switch (step.do) {
      case 'take class':
        await client.update(PERSISTENT_VOLUME_CLAIMS, withSpec(claim, { storageClassName: step.className }));
        return;
      case 'bind':
        await bind(claim, step.volume, context);
        return;
      case 'lose':
        await writeStatus(client, PERSISTENT_VOLUME_CLAIMS, claim, { phase: 'Lost' });
        return;
      case 'ask for volume': {
        const requested = Object.fromEntries(PROVISIONER.map((name) => [name, step.provisioner]));
        const annotations = { ...requested, ...claim.metadata.annotations };
        const known = PROVISIONER.every((name) => claim.metadata.annotations?.[name] !== undefined);
        const reported = known
          ? claim
          : await client.update(PERSISTENT_VOLUME_CLAIMS, { ...claim, metadata: { ...claim.metadata, annotations } });
        await writeStatus(client, PERSISTENT_VOLUME_CLAIMS, reported, { ...reported.status, phase: 'Pending' });
        return;
      }
      default:
        await writeStatus(client, PERSISTENT_VOLUME_CLAIMS, claim, { ...claim.status, phase: 'Pending' });
    }
  },
};

/** Updates the phase and the claim of volumes. */
export const volumeBinder: Controller<PersistentVolume> = {
  name: 'volume binder',
  for: PERSISTENT_VOLUMES,
  concurrency: 64,
  watches: [
    watchSource(PERSISTENT_VOLUME_CLAIMS, (claim, { cache }) => {
      const kept = [...cache(PERSISTENT_VOLUMES).by(byClaim, keyOf(claim))].map(keyOf);
      const { volumeName = '' } = claim.spec;
      return volumeName === '' ? kept : [volumeName, ...kept];
    }),
  ],
  async reconcile(volume, { cache, client }) {
    const { claimRef } = volume.spec;
    const key = keyIn(claimRef?.namespace, claimRef?.name);
    let claim = cache(PERSISTENT_VOLUME_CLAIMS).get(key);
    if (claimRef?.uid !== undefined && claim?.metadata.uid !== claimRef.uid) {
      // A volume is released only if the server itself reports that its claim is gone.
      claim = await ignoreNotFound(
        client.get(PERSISTENT_VOLUME_CLAIMS, claimRef.name ?? '', { namespace: claimRef.namespace ?? '' }),
      );
    }
    const step = planVolume(volume, claim);
    if (step.do === 'unbind') await client.update(PERSISTENT_VOLUMES, withoutClaim(volume));
    if (step.do !== 'report' || volume.status?.phase === step.phase) return;
    await report(volume, step.phase, client, step.message);
  },
};

/** Binds a claim and a volume. The volume is written first, so that no other claim can take it. */
async function bind(claim: PersistentVolumeClaim, volume: PersistentVolume, { client }: Context): Promise<void> {
  const { namespace, name, uid, resourceVersion } = claim.metadata;
  let kept = volume;
  if (volume.spec.claimRef?.uid !== uid) {
    const claimRef = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, resourceVersion };
    const ours = volume.spec.claimRef === undefined ? { [BOUND_BY_CONTROLLER]: 'yes' } : {};
    kept = await client.update(PERSISTENT_VOLUMES, {
      ...volume,
      metadata: { ...volume.metadata, annotations: { ...volume.metadata.annotations, ...ours } },
      spec: { ...volume.spec, claimRef: claimRef as NonNullable<typeof volume.spec.claimRef> },
    });
  }
  if (kept.status?.phase !== 'Bound') await report(kept, 'Bound', client);
  let bound = claim;
  const volumeName = volume.metadata.name ?? '';
  if (!isBound(claim) || claim.spec.volumeName !== volumeName) {
    const ours = claim.spec.volumeName === undefined ? { [BOUND_BY_CONTROLLER]: 'yes' } : {};
    const annotations = { ...claim.metadata.annotations, [BIND_COMPLETED]: 'yes', ...ours };
    const metadata = { ...claim.metadata, annotations };
    bound = await client.update(PERSISTENT_VOLUME_CLAIMS, withSpec({ ...claim, metadata }, { volumeName }));
  }
  const { accessModes, capacity } = volume.spec;
  await writeStatus(client, PERSISTENT_VOLUME_CLAIMS, bound, {
    ...bound.status,
    phase: 'Bound',
    ...(accessModes === undefined ? {} : { accessModes }),
    // The current capacity may already be larger, after an expansion.
    ...(bound.status?.phase === 'Bound' || capacity === undefined
      ? {}
      : { capacity: { storage: capacity['storage'] ?? 0 } }),
  });
}

async function report(volume: PersistentVolume, phase: string, client: Client, why?: string): Promise<void> {
  const { message: _message, reason: _reason, ...status } = volume.status ?? {};
  await writeStatus(client, PERSISTENT_VOLUMES, volume, {
    ...status,
    phase,
    ...(why === undefined ? {} : { message: why }),
  });
}

function withSpec(claim: PersistentVolumeClaim, spec: Partial<PersistentVolumeClaim['spec']>): PersistentVolumeClaim {
  return { ...claim, spec: { ...claim.spec, ...spec } };
}
