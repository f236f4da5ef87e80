import { slowBodyAttacks } from './slow-bodies.attacks.ts';
import { vimanaApiServer } from './support/attack-target.ts';

slowBodyAttacks(vimanaApiServer());
