import { createWriteStream, openSync } from 'node:fs';
import { ConfigError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { writeKubeconfig } from '../kube/kubeconfig/kubeconfig-text.ts';

/** Appends audit lines without holding anybody up; only its owner may read the file. */
export function openAuditLog(file: string, log: Logger): (line: string) => void {
  let fd: number;
  try {
    fd = openSync(file, 'a', 0o600);
  } catch (cause) {
    throw new ConfigError(`the audit log cannot be written: ${(cause as Error).message}`, { cause });
  }
  const stream = createWriteStream(file, { fd });
  stream.on('error', (error) => log.error(error, 'the audit log has ended'));
  return (line) => void stream.write(line);
}

/** Writes the kubeconfig that the user asked for. */
export function writeAskedKubeconfig(file: string, content: Parameters<typeof writeKubeconfig>[1]): void {
  try {
    writeKubeconfig(file, content);
  } catch (cause) {
    throw new ConfigError(`the kubeconfig cannot be written: ${(cause as Error).message}`, { cause });
  }
}
