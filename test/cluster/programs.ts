import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { STAGES } from '#vm/node/simulated/kwok/stages';
import type { Assets } from './assets.ts';
import { Component } from './component.ts';

/** Directory of the programs of one control plane. */
export interface Place {
  readonly binaries: Assets;
  /** Deleted if the process that started them is killed. */
  readonly folder: string;
}

const component = ({ binaries, folder }: Place, name: keyof Assets, args: readonly string[]) =>
  new Component({ name, binary: binaries[name], args, folder, remains: folder });

export function etcd(place: Place, ports: { readonly client: number; readonly peer: number }): Component {
  const client = `http://127.0.0.1:${ports.client}`;
  const peer = `http://127.0.0.1:${ports.peer}`;
  return component(place, 'etcd', [
    `--data-dir=${join(place.folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    // The data of a test need not survive a crash of the host, and disks of test hosts are slow.
    '--unsafe-no-fsync',
  ]);
}

export interface ApiServerSettings {
  readonly port: number;
  readonly etcdPort: number;
  readonly auditLog?: string;
  readonly flags: readonly string[];
}

const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  rules: [{ level: 'Metadata' }],
};

export function apiServer(place: Place, { port, etcdPort, auditLog, flags }: ApiServerSettings): Component {
  const policy = written(place, 'audit-policy.yaml', stringify(AUDIT_POLICY));
  return component(place, 'kube-apiserver', [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.96.0.0/16',
    ...(auditLog === undefined ? [] : [`--audit-policy-file=${policy}`, `--audit-log-path=${auditLog}`]),
    ...flags,
  ]);
}

/** This and the following programs work with any API server, not only kube-apiserver. */
export function controllerManager(place: Place, kubeconfig: string, flags: readonly string[]): Component {
  return component(place, 'kube-controller-manager', [
    `--kubeconfig=${kubeconfig}`,
    '--leader-elect=false',
    '--secure-port=0',
    '--use-service-account-credentials=true',
    '--kube-api-qps=400',
    '--kube-api-burst=800',
    ...flags,
  ]);
}

export function scheduler(
  place: Place,
  kubeconfig: string,
  flags: readonly string[] = [],
  settings: object = {},
): Component {
  const config = {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    clientConnection: { kubeconfig, qps: 400, burst: 800 },
    leaderElection: { leaderElect: false },
    ...settings,
  };
  const file = written(place, 'scheduler.yaml', stringify(config));
  return component(place, 'kube-scheduler', [`--config=${file}`, '--secure-port=0', ...flags]);
}

/** Starts KWOK for the nodes and with the stages that `vimana nodes --print` prints. */
export function kwok(place: Place, kubeconfig: string): Component {
  const stages = written(place, 'stages.yaml', STAGES.map((stage) => stringify(stage, { lineWidth: 0 })).join('---\n'));
  return component(place, 'kwok', [
    `--kubeconfig=${kubeconfig}`,
    `--config=${stages}`,
    '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake',
    '--node-lease-duration-seconds=40',
    '--cidr=10.247.0.0/16',
  ]);
}

function written({ folder }: Place, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}
