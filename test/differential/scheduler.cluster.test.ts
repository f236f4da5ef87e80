import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingAssets } from '../cluster/assets.ts';
import { type RealCluster, startRealCluster } from '../cluster/real-cluster.ts';
import { type Disagreement, Lockstep } from './scheduler/lockstep.ts';
import { BROAD_PERCENTAGE, BROAD_SCHEDULER, DEFAULT_SCHEDULER } from './scheduler/random-cluster.ts';

/**
 * Compares kube-scheduler and ours, pod by pod, over random clusters. VIMANA_DIFFERENTIAL_SEED and
 * VIMANA_DIFFERENTIAL_CLUSTERS select other and more clusters; VIMANA_DIFFERENTIAL_FIRST=17 starts with cluster 17.
 */
const SEED = process.env['VIMANA_DIFFERENTIAL_SEED'] ?? '1';
const CLUSTERS = Number(process.env['VIMANA_DIFFERENTIAL_CLUSTERS'] ?? 200);
const FIRST = Number(process.env['VIMANA_DIFFERENTIAL_FIRST'] ?? 0);
const TIMEOUT_MS = 60 * 60_000;

describe.skipIf(missingAssets().length > 0)('our scheduler', () => {
  let cluster: RealCluster;
  beforeAll(async () => {
    cluster = await startRealCluster({
      controllerManager: false,
      // Only that file logs scores, and batches of similar pods would skip it.
      schedulerFlags: ['--vmodule=schedule_one=10', '--feature-gates=OpportunisticBatching=false'],
      // Nodes are filtered one at a time, so that their order is known.
      schedulerSettings: {
        parallelism: 1,
        profiles: [
          { schedulerName: DEFAULT_SCHEDULER },
          { schedulerName: BROAD_SCHEDULER, percentageOfNodesToScore: BROAD_PERCENTAGE },
        ],
      },
      // No controller marks nodes as ready or accounts for pods.
      apiServerFlags: ['--disable-admission-plugins=TaintNodesByCondition,ServiceAccount,StorageObjectInUseProtection'],
    });
  });
  afterAll(() => cluster?.stop());

  it(
    `gives every node the scores that kube-scheduler gives it, and places pods where it would, in ${CLUSTERS} clusters of seed ${SEED}`,
    async () => {
      const lockstep = await Lockstep.begin(cluster);
      for (let number = FIRST; number < FIRST + CLUSTERS; number++) {
        const found = await lockstep.play(SEED, number);
        if (found !== undefined) expect.fail(told(number, found));
      }
      const { figures } = lockstep;
      process.stdout.write(
        `${figures.clusters} clusters, ${figures.sampled} of them sampled: ${figures.placed} pods placed, ${figures.scores} scores, ${figures.refused} refusals in words, ${figures.evictions} evictions, ${figures.volumes} volumes with a node\n`,
      );
      expect(figures.scores).toBeGreaterThan(10 * CLUSTERS);
    },
    TIMEOUT_MS,
  );
});

function told(number: number, { what, ours, theirs, pod, standing }: Disagreement): string {
  const { nodes, pods } = standing;
  return [
    `cluster ${number} of seed ${SEED}: the schedulers disagree on ${what}`,
    `ours:   ${JSON.stringify(ours)}`,
    `theirs: ${JSON.stringify(theirs)}`,
    `pod:    ${JSON.stringify({ metadata: pod.metadata.labels, spec: pod.spec })}`,
    ...nodes.map(({ metadata, spec, status }) => `node:   ${JSON.stringify({ metadata, spec, status })}`),
    ...pods.map(
      ({ metadata, spec }) => `placed: ${JSON.stringify({ name: metadata.name, labels: metadata.labels, spec })}`,
    ),
  ].join('\n');
}
