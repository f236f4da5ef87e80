import type { AdmissionRecheck } from '#vm/engine/admission-recheck';
import { LAUNCHER_SETTINGS, type LauncherSettings } from '#vm/engine/launcher/settings';
import type { AddressSource } from './own-addresses.ts';
import type { PlanSettings } from './plan-vmi.ts';

export interface InstanceSettings extends PlanSettings {
  readonly launcher: LauncherSettings;
  /** Absent: instances that stand alone get no addresses of ours. */
  readonly addresses?: AddressSource;
  /** Absent where nothing is stored but what admission has let in. */
  readonly recheck?: AdmissionRecheck;
}

/** An agent ends its machines 30 s after it last sent a sign of life that arrived: before it is given up here. */
export const INSTANCE_SETTINGS: InstanceSettings = {
  launcher: LAUNCHER_SETTINGS,
  nodeLostAfterMs: 40_000,
  agentTimeoutMs: 40_000,
};
