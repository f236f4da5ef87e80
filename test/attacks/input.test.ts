import { inputAttacks } from './input.attacks.ts';
import { vimanaApiServer } from './support/attack-target.ts';

inputAttacks(vimanaApiServer());
