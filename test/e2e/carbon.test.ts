import { carbonJourney } from './journeys/carbon.ts';
import { startUp } from './support/vimana.ts';

carbonJourney({
  name: 'vimana up',
  start: () =>
    startUp(['--dialects', 'hypersdk', '--ephemeral', '--empty', '--nodes', '2', '--carbon-provider', 'config-map']),
});
