import { hyperctlJourney } from './journeys/hyperctl.ts';
import { startUp } from './support/vimana.ts';

hyperctlJourney({
  name: 'vimana up',
  start: () => startUp(['--dialects', 'hypersdk', '--ephemeral', '--empty', '--nodes', '3', '--node-prefix', 'node']),
});
