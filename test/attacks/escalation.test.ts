import { escalationAttacks } from './escalation.attacks.ts';
import { vimanaApiServer } from './support/attack-target.ts';

escalationAttacks(vimanaApiServer());
