import { createAuthorizationAttacks } from './create-authorization.attacks.ts';
import { vimanaApiServer } from './support/attack-target.ts';

createAuthorizationAttacks(vimanaApiServer());
