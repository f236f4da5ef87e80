import type { BasicCredentials, S3Access } from './credentials.ts';

export const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'] as const;
export type PullPolicy = (typeof PULL_POLICIES)[number];

/** Image that a disk is created from. */
export interface ImageRequest {
  /** Name as the VM gives it. */
  readonly image: string;
  /** Namespace of the VM. Only its Secrets are read. */
  readonly namespace: string;
  /** Expected digest as algorithm:hex. */
  readonly checksum?: string;
  /** Path of the disk in a container image. */
  readonly path?: string;
  /** Defaults to Always for the tag latest, and to IfNotPresent otherwise. */
  readonly pullPolicy?: PullPolicy;
  /** Secret with credentials. */
  readonly secret?: string;
}

/** Credentials in a Secret. Which of them are used depends on the source of the image. */
export interface ImageCredentials {
  /** Text of a .dockerconfigjson. */
  readonly dockerConfig?: string;
  readonly basic?: BasicCredentials;
  readonly bearer?: string;
  readonly s3?: S3Access;
}

/** How far a fetch is. */
export interface PullProgress {
  readonly phase: 'Waiting' | 'Resolving' | 'Downloading' | 'Unpacking' | 'Converting';
  readonly bytes?: number;
  readonly totalBytes?: number;
}

/** Formats progress for a condition or a terminal. */
export function formatProgress({ phase, bytes, totalBytes }: PullProgress): string {
  const mib = (size: number) => `${Math.floor(size / 2 ** 20)}`;
  if (bytes === undefined) return phase;
  return totalBytes === undefined ? `${phase} ${mib(bytes)} MiB` : `${phase} ${mib(bytes)} of ${mib(totalBytes)} MiB`;
}
