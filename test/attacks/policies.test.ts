import { policiesAttacks } from './policies.attacks.ts';
import { vimanaApiServer } from './support/attack-target.ts';

policiesAttacks(vimanaApiServer());
