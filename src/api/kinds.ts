import type { Kind } from '#platform/schema/kind';
import { API_GROUPS } from './api-groups.ts';
import type { ClaimKeys } from './disk/claimed-disk.ts';

/** All resource kinds of Vimana. */
export const KINDS: readonly Kind[] = Object.values(API_GROUPS).flatMap(({ kinds }) => kinds);

/** Labels and annotations of claims, of every group that creates some. */
export const ALL_CLAIM_WORDS: readonly ClaimKeys[] = Object.values(API_GROUPS).flatMap(({ claims }) => claims ?? []);
