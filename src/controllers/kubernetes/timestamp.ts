import type { Clock } from '../../base/clock.ts';

/** The time as Kubernetes writes it in objects: whole seconds. */
export function timestamp(clock: Clock): string {
  return timestampOf(clock.now());
}

export function timestampOf(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
