import { readFileSync } from 'node:fs';
import { readConfiguration, type SchedulerConfiguration } from '#control-plane/scheduler/config/configuration';
import { ConfigError } from '#platform/base/errors';
import { readManifest } from '#platform/kube/manifest';

/** Reads the settings of a KubeSchedulerConfiguration file. */
export function schedulerConfiguration(file: string): SchedulerConfiguration {
  try {
    const { documents, problems } = readManifest(readFileSync(file, 'utf8'));
    const [problem] = problems;
    if (problem !== undefined) throw new ConfigError(`line ${problem.line}: ${problem.message}`);
    if (documents.length !== 1) {
      throw new ConfigError(`it contains ${documents.length} objects, but must contain one KubeSchedulerConfiguration`);
    }
    return readConfiguration(documents[0]?.object);
  } catch (error) {
    throw new ConfigError(`the scheduler configuration ${file} cannot be used: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
