import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { recordReason } from '#testing/programs';
import { isOutdated } from './fingerprint.ts';

/** Programs of a real control plane, in the version that the tests require. */
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

/** Directory of programs that were built on this host. */
export function assetsFolder(): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? '';
  return join(cache === '' ? join(homedir(), '.cache') : cache, 'vimana', 'assets');
}

/** Finds a program in the directory KUBE_ASSETS, among those built on this host, or in PATH. */
export function findAsset(name: string, version = ''): string | undefined {
  const given = process.env['KUBE_ASSETS'] ?? '';
  if (given !== '' && existsSync(join(given, name))) return join(given, name);
  const built = join(assetsFolder(), name);
  if (existsSync(built) && !isOutdated(assetsFolder(), name)) return built;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path) && isVersion(path, version));
}

/** A program in PATH may have another version. Programs in a directory that the user provides are trusted. */
function isVersion(path: string, version: string): boolean {
  if (version === '') return true;
  return ['--version', 'version'].some((word) => {
    const { stdout, status } = spawnSync(path, [word], { encoding: 'utf8' });
    return status === 0 && stdout.includes(version);
  });
}

/** Returns the paths of all programs, or undefined if one is missing. */
export function findAssets(): Assets | undefined {
  const found = NAMES.map((name) => [name, findAsset(name, ASSETS[name])] as const);
  return found.every(([, path]) => path !== undefined) ? (Object.fromEntries(found) as Assets) : undefined;
}

/** Returns the programs that are missing, which is why the tests of the current file are skipped. */
export function missingAssets(): Asset[] {
  const missing = NAMES.filter((name) => findAsset(name, ASSETS[name]) === undefined);
  if (missing.length > 0) recordReason(`tests on real Kubernetes, which need ${missing.join(', ')}`);
  return missing;
}
