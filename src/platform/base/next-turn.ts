/**
 * Calls a function once other due work has run. Node.js has setImmediate for that. In a browser, a message to oneself
 * takes its place, because timers wait at least 4 ms. It is read at load time, so that a test that replaces the global
 * timers does not stop the clocks.
 */
export const nextTurn: (fn: () => void) => unknown = globalThis.setImmediate ?? byMessage();

function byMessage(): (fn: () => void) => void {
  const waiting: (() => void)[] = [];
  const { port1, port2 } = new MessageChannel();
  port1.addEventListener('message', () => waiting.shift()?.());
  port1.start();
  return (fn) => {
    waiting.push(fn);
    port2.postMessage(undefined);
  };
}
