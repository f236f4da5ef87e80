import type { Connection } from '#programs/cli/connection';

/** Connects to nothing, for commands that need no stream. */
export const noStreams: Pick<Connection, 'webSocket' | 'stream'> = {
  webSocket: async (path) => {
    throw new Error(`nothing serves ${path}`);
  },
  stream: async (path) => {
    throw new Error(`nothing serves ${path}`);
  },
};
