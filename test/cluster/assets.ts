import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** The programs of a real control plane, and the version that everything here is held to. */
export const ASSETS = {
  etcd: '3.7.3',
  'kube-apiserver': 'v1.36.3',
  'kube-controller-manager': 'v1.36.3',
  'kube-scheduler': 'v1.36.3',
  kwok: 'v0.8.0',
  helm: 'v3.22.0',
} as const;

export type Asset = keyof typeof ASSETS;
export type Assets = Readonly<Record<Asset, string>>;

const NAMES = Object.keys(ASSETS) as Asset[];

/** Where programs are kept that were built here once. */
export function assetsFolder(): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? '';
  return join(cache === '' ? join(homedir(), '.cache') : cache, 'vimana', 'assets');
}

/** Where a program is: in the folder that KUBE_ASSETS names, among those built here, or in PATH. */
export function findAsset(name: string, version = ''): string | undefined {
  const given = process.env['KUBE_ASSETS'] ?? '';
  for (const folder of given === '' ? [assetsFolder()] : [given, assetsFolder()]) {
    if (existsSync(join(folder, name))) return join(folder, name);
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path) && isVersion(path, version));
}

/** What happens to be in PATH may be another version; what was put into a folder for us is believed. */
function isVersion(path: string, version: string): boolean {
  if (version === '') return true;
  return ['--version', 'version'].some((word) => {
    const { stdout, status } = spawnSync(path, [word], { encoding: 'utf8' });
    return status === 0 && stdout.includes(version);
  });
}

/** Where all programs are; undefined where one is missing. */
export function findAssets(): Assets | undefined {
  const found = NAMES.map((name) => [name, findAsset(name, ASSETS[name])] as const);
  return found.every(([, path]) => path !== undefined) ? (Object.fromEntries(found) as Assets) : undefined;
}

export function missingAssets(): Asset[] {
  return NAMES.filter((name) => findAsset(name, ASSETS[name]) === undefined);
}
