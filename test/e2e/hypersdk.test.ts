import { hypersdkJourney } from './journeys/hypersdk.ts';
import { startUp } from './support/vimana.ts';

hypersdkJourney({
  name: 'vimana up',
  start: () => startUp(['--dialects', 'hypersdk', '--ephemeral', '--empty', '--nodes', '3', '--node-prefix', 'node']),
});
