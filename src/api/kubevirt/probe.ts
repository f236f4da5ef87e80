import { choice, integer, intOrString, list, object, requiredField, string } from '#platform/schema/schema';

const port = requiredField(intOrString('Number of the port (1 to 65535), or its name.'));
const seconds = (description: string) => integer(description, { format: 'int32', minimum: 0 });

/** Returns the schema of a guest probe with exactly one handler. */
export const probe = (description: string) =>
  object(description, {
    httpGet: object('Sends an HTTP request; a status from 200 to 399 is a success.', {
      port,
      path: string('Path of the request. Defaults to /.'),
      host: string('Host name for the request. Defaults to the address of the guest.'),
      scheme: choice('Scheme. Defaults to HTTP.', ['HTTP', 'HTTPS']),
      httpHeaders: list(
        'Headers to send.',
        object('A header.', {
          name: requiredField(string('Name of the header.')),
          value: requiredField(string('Value of the header.')),
        }),
      ),
    }),
    tcpSocket: object('Opens a TCP connection; an open connection is a success.', {
      port,
      host: string('Host name to connect to. Defaults to the address of the guest.'),
    }),
    exec: object('Runs a command in the guest through the guest agent; exit code 0 is a success.', {
      command: list('The command and its arguments; no shell.', string('An argument.')),
    }),
    guestAgentPing: object('Pings the guest agent.', {}),
    initialDelaySeconds: seconds('Seconds after the start before the first check.'),
    periodSeconds: seconds('Seconds between checks. Defaults to 10.'),
    timeoutSeconds: seconds('Seconds after which a check has failed. Defaults to 1.'),
    successThreshold: seconds('Consecutive successes after a failure until the probe succeeds. Defaults to 1.'),
    failureThreshold: seconds('Consecutive failures until the probe fails. Defaults to 3.'),
  });
