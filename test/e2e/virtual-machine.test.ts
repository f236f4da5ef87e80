import { machineJourney } from './journeys/virtual-machine.ts';
import { startUp } from './support/vimana.ts';

machineJourney({
  name: 'vimana up',
  start: async () => {
    const server = await startUp(['--dialects', 'kubevirt', '--ephemeral', '--empty', '--nodes', '3']);
    return { ...server, ours: true };
  },
});
