import { nodeAgentAttacks } from './node-agent.attacks.ts';
import { vimanaApiServer } from './support/attack-target.ts';

nodeAgentAttacks(vimanaApiServer());
