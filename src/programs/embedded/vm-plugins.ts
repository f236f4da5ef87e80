import { AUTHENTICATED, MASTERS, serviceAccountUserName, type User } from '#control-plane/apiserver/access/user';
import type { AddPlugins } from '#control-plane/apiserver/admission-plugin';
import type { Kind } from '#platform/schema/kind';
import { findAdmission } from '#vm/dialects/admitters';
import { launcherEviction } from './launcher-eviction.ts';
import { poolScale } from './pool-scale.ts';
import { vmAdmission } from './vm-admission.ts';

export interface VmPluginOptions {
  /** User that marks instances for evacuation. Defaults to the operator of the chart. */
  readonly operatorUser?: string;
  /**
   * Reports whether a controller acts on objects of a kind. The author of an object that nothing acts on is warned.
   * Defaults to all.
   */
  readonly actsOn?: (kind: Kind) => boolean;
}

const OPERATOR_USER = serviceAccountUserName('vimana-system', 'vimana-operator');

/**
 * Webhooks of the operator in the chart. If it is installed on an embedded API server, they would repeat these plugins,
 * and its simulated pods cannot serve them.
 */
const OPERATOR_WEBHOOKS = ['defaults.vimana.io', 'rules.vimana.io', 'scales.vimana.io', 'evictions.vimana.io'];

/** Adds the kinds of Vimana to an embedded API server: their admission, and evictions that become migrations. */
export function vmPlugins({ operatorUser = OPERATOR_USER, actsOn }: VmPluginOptions = {}): AddPlugins {
  // The server acts in the operator's name before the operator's role exists.
  const operator: User = { name: operatorUser, groups: [MASTERS, AUTHENTICATED] };
  return (host) => ({
    mutating: [vmAdmission(host, findAdmission(actsOn === undefined ? {} : { actsOn }))],
    last: [launcherEviction(host, operator), poolScale(host)],
    replacedWebhooks: OPERATOR_WEBHOOKS,
  });
}
