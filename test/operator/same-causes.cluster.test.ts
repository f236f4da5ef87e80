import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingAssets } from '../cluster/assets.ts';
import { installOperator } from '../cluster/installed.ts';
import { type RealCluster, startRealCluster } from '../cluster/real-cluster.ts';
import { hasKubectl, Kubectl } from '../e2e/support/kubectl.ts';
import { type RunningServer, startUp } from '../e2e/support/vimana.ts';
import { BAD_OBJECTS } from './bad-objects.ts';

describe.skipIf(missingAssets().length > 0 || !hasKubectl())('kubectl apply of an invalid object', () => {
  let cluster: RealCluster;
  let ours: RunningServer;
  let kubectls: readonly Kubectl[];

  beforeAll(async () => {
    cluster = await startRealCluster({ scheduler: false, controllerManager: false });
    await installOperator(cluster);
    ours = await startUp(['--ephemeral', '--empty', '--nodes', '0']);
    kubectls = [cluster, ours].map(({ kubeconfig, folder }) => new Kubectl(kubeconfig, folder));
  });
  afterAll(async () => {
    await ours?.stop();
    await cluster?.stop();
  });

  it.each(BAD_OBJECTS.map((each) => [each.what, each] as const))(
    'is rejected for the same causes as by the embedded control plane: %s',
    async (_what, { object }) => {
      const told = await Promise.all(
        kubectls.map(async (kubectl) => {
          const { code, err } = await kubectl.run(['apply', '--validate=ignore', '-f', '-'], JSON.stringify(object));
          const lines = err.split('\n').filter((line) => line !== '' && !line.startsWith('Warning: '));
          return [code, ...lines.map((line) => line.trim()).toSorted()];
        }),
      );
      expect(told[0]?.[0]).toBe(1);
      expect(told[0]?.join('\n')).toContain(' is invalid:');
      expect(told[0]).toEqual(told[1]);
    },
  );
});
