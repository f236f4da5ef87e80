import { hypersdkMachineJourney } from './journeys/hypersdk-machine.ts';
import { startUp } from './support/vimana.ts';

hypersdkMachineJourney({
  name: 'vimana up',
  start: () => startUp(['--dialects', 'hypersdk', '--ephemeral', '--empty', '--nodes', '3']),
});
