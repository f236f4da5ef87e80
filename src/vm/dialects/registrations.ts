import type { DialectName } from '#api/groups';
import { hypersdkRegistration } from './hypersdk/registration.ts';
import { kubevirtRegistration } from './kubevirt/registration.ts';
import { novacronRegistration } from './novacron/registration.ts';
import type { DialectRegistration } from './registration.ts';
import { simulationRegistration } from './simulation/registration.ts';

/** Registers the dialects, one line each. */
export const REGISTRATIONS: Readonly<Record<DialectName, DialectRegistration>> = {
  kubevirt: kubevirtRegistration,
  hypersdk: hypersdkRegistration,
  novacron: novacronRegistration,
  simulation: simulationRegistration,
};
