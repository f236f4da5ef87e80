import type { ServeStream } from '#platform/kube/web-socket';
import { acceptWebSocket } from './accept-web-socket.ts';
import { joinStreams } from './join-streams.ts';

export const serveStream: ServeStream = async (request, protocols, peer) => {
  try {
    const { stream } = await acceptWebSocket(request, protocols);
    joinStreams(stream, peer);
  } catch (error) {
    peer.destroy();
    throw error;
  }
};
