import { VimanaError } from '#platform/base/errors';

/** Error that QEMU returned for a command. `qmpClass` is its class, such as GenericError or DeviceNotFound. */
export class QmpError extends VimanaError {
  readonly command: string;
  readonly qmpClass: string;

  constructor(command: string, qmpClass: string, description: string) {
    super('QMP', `QEMU rejected ${command}: ${description}`);
    this.command = command;
    this.qmpClass = qmpClass;
  }
}

/** Reports that the connection to QEMU ended, or that QEMU did not respond in time, so that nothing is known. */
export class QmpConnectionError extends VimanaError {
  constructor(message: string, cause?: unknown) {
    super('QMP_CONNECTION', message, cause === undefined ? {} : { cause });
  }
}
