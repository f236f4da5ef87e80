import { join } from 'node:path';
import { rebalanceJourney } from '../e2e/journeys/rebalance-run.ts';
import { startUp, vimana } from '../e2e/support/vimana.ts';

rebalanceJourney({
  name: 'vimana up',
  start: async () => {
    const server = await startUp(['--dialects', 'simulation', '--ephemeral', '--nodes', '4']);
    const { stdout } = vimana(server, 'status', '--data-dir', join(server.folder, 'data'), '-o', 'json');
    return { ...server, exporter: (JSON.parse(stdout) as { exporter: string }).exporter };
  },
});
