import { kubectlJourney } from './journeys/kubectl.ts';
import { startApiServer } from './support/vimana.ts';

kubectlJourney({ name: 'vimana apiserver', start: () => startApiServer() });
