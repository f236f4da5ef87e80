import { csrAttacks } from './csr.attacks.ts';
import { vimanaApiServer } from './support/attack-target.ts';

csrAttacks(vimanaApiServer());
