import type { AdmissionRecheck } from '#vm/engine/admission-recheck';
import { LAUNCHER_SETTINGS, type LauncherSettings } from '#vm/engine/launcher/settings';
import type { AddressSource } from './own-addresses.ts';
import type { PlanSettings } from './plan-vmi.ts';

export interface InstanceSettings extends PlanSettings {
  readonly launcher: LauncherSettings;
  /** Source of addresses for standalone instances. If absent, they get none from us. */
  readonly addresses?: AddressSource;
  /** Rechecks stored objects. Absent if only objects that passed admission are stored. */
  readonly recheck?: AdmissionRecheck;
}

/**
 * A node agent stops its machines 30 s after it sent its last heartbeat that arrived, which is before the node is
 * considered lost here.
 */
export const INSTANCE_SETTINGS: InstanceSettings = {
  launcher: LAUNCHER_SETTINGS,
  nodeLostAfterMs: 40_000,
  agentTimeoutMs: 40_000,
};
