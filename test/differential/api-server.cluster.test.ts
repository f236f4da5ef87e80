import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemRandom } from '#platform/base/random';
import { missingAssets } from '../cluster/assets.ts';
import { type RealCluster, startRealCluster } from '../cluster/real-cluster.ts';
import { AttackedServer } from '../fuzz/attacked-server.ts';
import { campaign, prepare, describe as told } from './api/campaign.ts';
import { DELIBERATE } from './api/deliberate.ts';
import type { Pair } from './api/difference.ts';
import { connections } from './api/session.ts';

/**
 * Compares kube-apiserver and ours, request by request. VIMANA_DIFFERENTIAL_SEED selects other sequences,
 * VIMANA_DIFFERENTIAL_SEQUENCES their number, VIMANA_DIFFERENTIAL_TOPIC one topic, and VIMANA_DIFFERENTIAL_FIRST the
 * number of the first sequence.
 */
const SEED = process.env['VIMANA_DIFFERENTIAL_SEED'] ?? '1';
const SEQUENCES = Number(process.env['VIMANA_DIFFERENTIAL_SEQUENCES'] ?? 500);
const FIRST = Number(process.env['VIMANA_DIFFERENTIAL_FIRST'] ?? 0);
const TOPIC = process.env['VIMANA_DIFFERENTIAL_TOPIC'] ?? '';
const TIMEOUT_MS = 12 * 60 * 60_000;
/** Number of differences to print. */
const MAX_DIFFERENCES = 5;

describe.skipIf(missingAssets().length > 0)('our API server', () => {
  let cluster: RealCluster;
  let ours: AttackedServer;
  let pair: Pair;
  beforeAll(async () => {
    // The user is in system:masters, as on ours. kube-apiserver checks more for users who only have a role.
    const token = systemRandom().hex(32);
    const folder = mkdtempSync(join(tmpdir(), 'vimana-differential-'));
    const file = join(folder, 'tokens.csv');
    writeFileSync(file, `${token},admin,admin,system:masters\n`, { mode: 0o600 });
    cluster = await startRealCluster({
      controllerManager: false,
      scheduler: false,
      apiServerFlags: [`--token-auth-file=${file}`],
    });
    rmSync(folder, { recursive: true });
    ours = await AttackedServer.start();
    pair = {
      ours: { name: 'ours', url: `https://127.0.0.1:${ours.port}`, token: ours.token },
      theirs: { name: 'kube-apiserver', url: cluster.url, token },
      agent: connections(),
    };
    await prepare(pair);
  });
  afterAll(async () => {
    await pair?.agent.close();
    await ours?.stop();
    await cluster?.stop();
  });

  it(
    `answers ${SEQUENCES} sequences of seed ${SEED} as kube-apiserver does`,
    async () => {
      const outcome = await campaign({
        pair,
        seed: SEED,
        from: FIRST,
        to: FIRST + SEQUENCES,
        most: MAX_DIFFERENCES,
        ...(TOPIC === '' ? {} : { topic: TOPIC }),
      });
      const statuses = [...outcome.statuses]
        .sort(([a], [b]) => a - b)
        .map(([status, count]) => `${status} ${count} times`);
      process.stdout.write(
        `${outcome.sequences} sequences, ${outcome.requests} requests, answered ${statuses.join(', ')}\n`,
      );
      for (const [name, count] of outcome.excused) {
        process.stdout.write(
          `deliberate, ${count} times: ${name}: ${DELIBERATE.find((each) => each.name === name)?.reason}\n`,
        );
      }
      const texts = outcome.found.map(
        (found) => `sequence ${found.number} of seed ${SEED} (${found.sequence.topic})\n${told(found)}`,
      );
      expect(texts.join('\n\n')).toBe('');
      expect((await ours.health()).faults).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
