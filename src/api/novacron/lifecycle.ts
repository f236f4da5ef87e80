import type { CelRule } from '#platform/schema/json-schema';
import { choice, integer, intOrString, list, object, requiredField, string } from '#platform/schema/schema';

const timeoutSeconds = integer('Timeout of the hook in seconds. Defaults to 30.', {
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
    message: 'differs from exec.timeoutSeconds; set only one of them',
    fieldPath: '.timeoutSeconds',
  },
];

function hook(description: string) {
  return object(
    description,
    {
      exec: object('Runs a command in the launcher of the VM.', {
        command: requiredField(
          list('The command and its arguments; no shell is involved.', string('An argument.'), {
            minItems: 1,
          }),
        ),
        timeoutSeconds,
      }),
      httpGet: object('Sends an HTTP request; a status from 200 to 399 is a success.', {
        path: string('Path of the request.', { default: '/' }),
        port: requiredField(intOrString('Port to connect to, by number or name.')),
        host: string('Host to connect to. Defaults to the VM.'),
        scheme: choice('Protocol of the request.', ['HTTP', 'HTTPS'], { default: 'HTTP' }),
      }),
      timeoutSeconds,
    },
    { rules: oneHandler },
  );
}

export const lifecycle = object('Lifecycle hooks of the VM. Not supported yet: a VM that uses them is not started.', {
  preStart: hook('Runs before the VM starts. If it fails, the VM does not start.'),
  preStop: hook('Runs before the VM is stopped. The VM is stopped even if it fails or times out.'),
});
