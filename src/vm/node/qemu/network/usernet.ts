/** Address and port in a machine's namespace at which QEMU accepts one connection to its guest. */
export interface ForwardEndpoint {
  readonly address: string;
  readonly port: number;
}

const FORWARD_PORT = 10_000;
const FIRST_NUMBER = 1 << 16;
const NUMBERS = 2 ** 24 - 2 ** 17;

/** Returns the endpoint of a connection by its number. Each has a loopback address of its own, which identifies it. */
export function forwardEndpoint(number: number): ForwardEndpoint {
  const value = FIRST_NUMBER + (number % NUMBERS);
  return { address: `127.${value >> 16}.${(value >> 8) & 255}.${value & 255}`, port: FORWARD_PORT };
}

/** Commands of QEMU's human monitor that begin and end the forwarding of connections to a port of a guest. */
export interface ForwardCommands {
  readonly add: string;
  readonly remove: string;
}

export function forwardCommands(netdev: string, guest: string, port: number, at: ForwardEndpoint): ForwardCommands {
  const listener = `${netdev} tcp:${at.address}:${at.port}`;
  return { add: `hostfwd_add ${listener}-${guest}:${port}`, remove: `hostfwd_remove ${listener}` };
}

/**
 * Reports whether the guest has accepted the connection at an endpoint, by what QEMU's `info usernet` prints: state,
 * descriptor, source address and port, destination address and port.
 */
export function isEstablished(usernet: string, { address, port }: ForwardEndpoint): boolean {
  return usernet.split('\n').some((line) => {
    const [state = '', , source, sourcePort] = line.trim().split(/\s+/);
    return source === address && sourcePort === `${port}` && ESTABLISHED.test(state);
  });
}

/** All states from the acceptance of a connection to its end. */
const ESTABLISHED = /^TCP\[(?:ESTABLISHED|CLOSE_WAIT|FIN_WAIT_1|FIN_WAIT_2|LAST_ACK|CLOSING|TIME_WAIT)\]$/;
