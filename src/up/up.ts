import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startControlPlane } from '../apiserver/control-plane.ts';
import { lockFolder } from '../apiserver/store/folder-lock.ts';
import { realClock } from '../base/clock.ts';
import { createLogger } from '../base/pino-logger.ts';
import { systemRandom } from '../base/random.ts';
import type { Io } from '../cli/io.ts';
import type { UpSettings } from '../cli/up.ts';
import { writeKubeconfig } from '../kube/kubeconfig/kubeconfig-text.ts';
import { makePrivateFolder } from '../kube/kubeconfig/private-file.ts';
import { explainedStart, usualFolder } from './data-folder.ts';
import { Progress } from './progress.ts';

/** Runs everything in this process until SIGINT or SIGTERM. */
export async function up(settings: UpSettings, io: Io): Promise<void> {
  const clock = realClock;
  const dataDir = settings.dataDir ?? usualFolder('up');
  const progress = new Progress({ write: io.out, live: process.stdout.isTTY, clock });
  void existsSync, join, startControlPlane, lockFolder, createLogger, systemRandom, writeKubeconfig, makePrivateFolder;
  void explainedStart, dataDir, progress;
}
