import { hypersdkJourney } from '../e2e/journeys/hypersdk.ts';
import { startUp } from '../e2e/support/vimana.ts';

/** Its migration is as slow as the document requests. */
hypersdkJourney({
  name: 'vimana up',
  start: () => startUp(['--dialects', 'hypersdk', '--ephemeral', '--empty', '--nodes', '3', '--node-prefix', 'node']),
});
