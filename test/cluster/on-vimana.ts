import { join } from 'node:path';
import { openPki } from '#control-plane/apiserver/access/pki';
import { realClock } from '#platform/base/clock';
import { startApiServer } from '../e2e/support/vimana.ts';
import { Access } from './access.ts';
import { findAssets, missingAssets } from './assets.ts';
import type { Component } from './component.ts';
import type { Host } from './installed.ts';
import { createNodes, nodesReady } from './nodes.ts';
import { controllerManager, kwok, scheduler } from './programs.ts';
import { startStorage } from './storage.ts';

/** Programs of Kubernetes that use our API server. */
export interface OnVimana extends Host {
  readonly access: Access;
  readonly programs: Readonly<Record<'scheduler' | 'controllerManager' | 'kwok', Component>>;
  stop(): Promise<void>;
}

/** Starts `vimana apiserver` alone, and the real programs for everything else. */
export async function startOnVimana(nodes: number): Promise<OnVimana> {
  const binaries = findAssets();
  if (binaries === undefined) throw new Error(`these programs are missing: ${missingAssets().join(', ')}`);
  const server = await startApiServer('--no-controllers');
  const { url, folder } = server;
  const data = join(folder, 'data', 'pki');
  const access = new Access({ url, folder, pki: openPki({ directory: data, clock: realClock }) });
  const place = { binaries, folder };
  const authority = [`--root-ca-file=${join(data, 'ca.crt')}`];
  const programs = {
    scheduler: scheduler(place, access.certified('system:kube-scheduler')),
    controllerManager: controllerManager(place, access.certified('system:kube-controller-manager'), authority),
    kwok: kwok(place, access.kubeconfig),
  };
  const first: (() => Promise<void>)[] = [];
  const plane: OnVimana = {
    access,
    programs,
    folder,
    controllerManager: programs.controllerManager,
    kubeconfig: access.kubeconfig,
    kubeconfigFor: (token, namespace) => access.kubeconfigFor(token, namespace),
    tokenFor: (account) => access.tokenFor(account),
    onStop: (act) => void first.push(act),
    async stop() {
      for (const end of first) await end().catch(() => {});
      await access.close();
      await Promise.all(Object.values(programs).map((program) => program.stop('at once')));
      await server.stop();
    },
  };
  try {
    for (const program of Object.values(programs)) program.start();
    const client = await access.client();
    plane.onStop(await startStorage(client));
    await createNodes(client, nodes);
    await nodesReady(client, 60_000);
    return plane;
  } catch (error) {
    await plane.stop();
    throw error;
  }
}
