import { simulationJourney } from './journeys/simulation.ts';
import { startUp } from './support/vimana.ts';

simulationJourney({
  name: 'vimana up',
  start: () => startUp(['--dialects', 'simulation', '--ephemeral', '--nodes', '3']),
});
