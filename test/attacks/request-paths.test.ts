import { requestPathAttacks } from './request-paths.attacks.ts';
import { vimanaApiServer } from './support/attack-target.ts';

requestPathAttacks(vimanaApiServer());
