import { chartExporterJourney } from './journeys/chart-exporter.ts';
import { startUp } from './support/vimana.ts';

chartExporterJourney({
  name: 'vimana up',
  start: () => startUp(['--dialects', 'simulation', '--ephemeral', '--nodes', '3']),
});
