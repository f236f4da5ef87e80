import { vimanaUp } from './support/attack-target.ts';
import { trustedStatusAttacks } from './trusted-status.attacks.ts';

trustedStatusAttacks(vimanaUp('--nodes', '2', '--dialects', 'hypersdk,simulation'));
