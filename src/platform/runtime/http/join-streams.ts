import { type Duplex, pipeline } from 'node:stream';

/** Connects two streams in both directions. When one of them ends or fails, both are closed. */
export function joinStreams(one: Duplex, other: Duplex): void {
  const close = () => {
    one.destroy();
    other.destroy();
  };
  pipeline(one, other, close);
  pipeline(other, one, close);
}
