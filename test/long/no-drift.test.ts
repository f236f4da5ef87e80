import { startUp } from '../e2e/support/vimana.ts';
import { noDriftJourney } from '../gitops/no-drift.ts';

noDriftJourney({ name: 'vimana up', start: () => startUp(['--ephemeral', '--empty', '--nodes', '3']) });
