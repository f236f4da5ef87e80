import type { Connection } from '#programs/cli/connection';

/** Connects to nothing, for commands that need no WebSocket. */
export const noWebSocket: Connection['webSocket'] = async (path) => {
  throw new Error(`nothing serves ${path}`);
};
