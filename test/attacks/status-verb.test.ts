import { statusVerbAttacks } from './status-verb.attacks.ts';
import { vimanaApiServer } from './support/attack-target.ts';

statusVerbAttacks(vimanaApiServer());
