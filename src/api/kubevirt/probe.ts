import { choice, integer, intOrString, list, object, required, string } from '#platform/schema/schema';

const port = required(intOrString('Number of the port (1 to 65535), or its name.'));
const seconds = (description: string) => integer(description, { format: 'int32', minimum: 0 });

/** Returns the schema of a guest probe with exactly one handler. */
export const probe = (description: string) =>
  object(description, {
    httpGet: object('Asks by HTTP; an answer from 200 to 399 is a success.', {
      port,
      path: string('Path that is asked for; / when left out.'),
      host: string('Host name to ask; the address of the guest when left out.'),
      scheme: choice('Scheme; HTTP when left out.', ['HTTP', 'HTTPS']),
      httpHeaders: list(
        'Headers to send.',
        object('A header.', {
          name: required(string('Name of the header.')),
          value: required(string('Value of the header.')),
        }),
      ),
    }),
    tcpSocket: object('Opens a TCP connection; that it opens is a success.', {
      port,
      host: string('Host name to connect to; the address of the guest when left out.'),
    }),
    exec: object('Runs a command in the guest through its agent; exit code 0 is a success.', {
      command: list('The command and its arguments; no shell.', string('A word of the command.')),
    }),
    guestAgentPing: object('Asks the guest agent for a sign of life.', {}),
    initialDelaySeconds: seconds('Seconds after the start before the first check.'),
    periodSeconds: seconds('Seconds between checks; 10 when left out.'),
    timeoutSeconds: seconds('Seconds after which a check has failed; 1 when left out.'),
    successThreshold: seconds('Successes in a row after a failure that make it good again; 1 when left out.'),
    failureThreshold: seconds('Failures in a row that make it bad; 3 when left out.'),
  });
