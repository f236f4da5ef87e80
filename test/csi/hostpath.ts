import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '#platform/kube/client';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '#platform/kube/kinds/storage';
import { findAsset } from '../cluster/assets.ts';
import { Component } from '../cluster/component.ts';
import type { RealCluster } from '../cluster/real-cluster.ts';
import { Kubectl } from '../e2e/support/kubectl.ts';
import { type CSI_PROGRAMS, definitionFiles } from './programs.ts';

export const DRIVER = 'hostpath.csi.k8s.io';

/** A cluster with a real CSI driver for volumes and VolumeSnapshots. Each volume is a local directory. */
export interface HostpathStorage {
  readonly programs: Readonly<Record<(typeof CSI_PROGRAMS)[number], Component>>;
  /** Returns the directory of the volume of a claim, or undefined if it has none. */
  folderOf(claim: string, namespace?: string): Promise<string | undefined>;
  /** Writes a file to the volume of a claim, like a guest. */
  write(claim: string, name: string, text: string): Promise<void>;
  /** Reads a file on the volume of a claim. Returns undefined if there is no volume or no file. */
  read(claim: string, name: string): Promise<string | undefined>;
  /** Files in which the driver stores volumes. */
  snapshotFile(handle: string): string;
}

/**
 * Starts csi-driver-host-path, external-provisioner and external-snapshotter as plain processes. No kubelet mounts
 * volumes, so tests write to the directories instead of guests.
 */
export async function startHostpathStorage(cluster: RealCluster, client: Client): Promise<HostpathStorage> {
  const kubectl = new Kubectl(cluster.kubeconfig, cluster.folder);
  const files = definitionFiles();
  await kubectl.ok(['apply', '--server-side', ...files.flatMap((file) => ['-f', file])]);
  await kubectl.ok(['wait', '--for=condition=Established', '--timeout=60s', ...files.flatMap((file) => ['-f', file])]);
  const state = join(cluster.folder, 'volumes');
  mkdirSync(state);
  const socket = join(cluster.folder, 'csi.sock');
  const start = (name: (typeof CSI_PROGRAMS)[number], ...args: readonly string[]) => {
    const { folder } = cluster;
    const program = new Component({ name, binary: findAsset(name) ?? '', args, folder, remains: folder });
    cluster.onStop(() => program.stop('at once'));
    program.start();
    return program;
  };
  const asAdmin = `--kubeconfig=${cluster.kubeconfig}`;
  const bySocket = `--csi-address=${socket}`;
  // The timeouts are long, because a busy host is slow and nothing retries here.
  const patient = '--timeout=60s';
  const programs = {
    hostpathplugin: start(
      'hostpathplugin',
      `--endpoint=unix://${socket}`,
      `--drivername=${DRIVER}`,
      `--statedir=${state}`,
      '--nodeid=here',
      // Only a kubelet could report which node has which volumes.
      '--enable-topology=false',
    ),
    'csi-provisioner': start('csi-provisioner', asAdmin, bySocket, patient),
    'csi-snapshotter': start('csi-snapshotter', asAdmin, bySocket, patient),
    'snapshot-controller': start('snapshot-controller', asAdmin),
  };

  const storage: HostpathStorage = {
    programs,
    async folderOf(claim, namespace = 'default') {
      const { spec } = await client.get(PERSISTENT_VOLUME_CLAIMS, claim, { namespace });
      if (spec.volumeName === undefined) return undefined;
      const volume = await client.get(PERSISTENT_VOLUMES, spec.volumeName);
      const { volumeHandle = '' } = (volume.spec['csi'] ?? {}) as { volumeHandle?: string };
      return join(state, volumeHandle);
    },
    async write(claim, name, text) {
      const folder = await storage.folderOf(claim);
      if (folder === undefined) throw new Error(`claim ${claim} has no volume`);
      writeFileSync(join(folder, name), text);
    },
    async read(claim, name) {
      const folder = await storage.folderOf(claim);
      const file = join(folder ?? '', name);
      return folder !== undefined && existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    },
    snapshotFile: (handle) => join(state, `${handle}.snap`),
  };
  return storage;
}
