import type { CelRule } from '#platform/schema/json-schema';
import { choice, integer, intOrString, list, object, required, string } from '#platform/schema/schema';

const timeoutSeconds = integer('How long the hook may take, in seconds; 30 when left out.', {
  format: 'int32',
  minimum: 1,
});

const oneHandler: readonly CelRule[] = [
  {
    rule: 'has(self.exec) != has(self.httpGet)',
    message: 'a hook has exactly one of exec and httpGet',
  },
  {
    rule: '!has(self.timeoutSeconds) || !has(self.exec) || !has(self.exec.timeoutSeconds) || self.timeoutSeconds == self.exec.timeoutSeconds',
    message: 'differs from exec.timeoutSeconds; give it once',
    fieldPath: '.timeoutSeconds',
  },
];

function hook(description: string) {
  return object(
    description,
    {
      exec: object('Runs a command in the launcher of the machine.', {
        command: required(
          list('The command and its arguments; no shell is involved.', string('A word of the command.'), {
            minItems: 1,
          }),
        ),
        timeoutSeconds,
      }),
      httpGet: object('Sends an HTTP request; any answer from 200 to 399 is success.', {
        path: string('Path of the request.', { default: '/' }),
        port: required(intOrString('Port to connect to, by number or name.')),
        host: string('Host to connect to; the machine itself when left out.'),
        scheme: choice('Protocol of the request.', ['HTTP', 'HTTPS'], { default: 'HTTP' }),
      }),
      timeoutSeconds,
    },
    { rules: oneHandler },
  );
}

export const lifecycle = object(
  'What is run around the life of the machine. Not served yet: a machine that asks for it is not started.',
  {
    preStart: hook('Runs before the machine starts; when it fails, the machine does not start.'),
    preStop: hook('Runs before the machine is stopped; it is stopped even when this fails or takes too long.'),
  },
);
