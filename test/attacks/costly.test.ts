import { costlyAttacks } from './costly.attacks.ts';
import { vimanaApiServer } from './support/attack-target.ts';

costlyAttacks(vimanaApiServer());
