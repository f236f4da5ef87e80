import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { hasKubectl } from '../support/kubectl.ts';
import { onCluster } from '../support/on-cluster.ts';
import type { Target } from '../support/target.ts';

const BIN = resolve(import.meta.dirname, '../../../bin');
const SLOW = 120_000;

/** Carbon intensities of one zone since the epoch. */
const grid = (grams: number) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'vimana-carbon', namespace: 'vimana-system' },
    data: { 'grid.yaml': JSON.stringify({ zones: { DE: { intensity: [{ at: '00:00', grams }] } } }) },
  });

const machine = (name: string, carbonAware: object) =>
  JSON.stringify({
    apiVersion: 'hypersdk.io/v1alpha1',
    kind: 'VirtualMachine',
    metadata: { name },
    spec: { cpus: 1, memory: '1Gi', carbonAware: { enabled: true, zone: 'DE', ...carbonAware } },
  });

/** A VM that waits for clean electricity, with data from a ConfigMap, observed with kubectl. */
export function carbonJourney(where: { readonly name: string; readonly start: () => Promise<Target> }): void {
  describe.skipIf(!hasKubectl())(`a carbon-aware VM on ${where.name}`, () => journey(where.start));
}

function journey(start: () => Promise<Target>): void {
  const cluster = onCluster(start);
  const { ok } = cluster;
  const wait = (condition: string) => ok(`wait vm/render --for=${condition} --timeout=60s`);
  const carbon = async (program: string, ...args: string[]) => {
    const env = { ...process.env, KUBECONFIG: cluster.target.kubeconfig };
    return (await promisify(execFile)(join(BIN, program), args, { env })).stdout;
  };

  it(
    'waits while electricity is dirty, with a reason, and starts when it is clean',
    async () => {
      await ok('apply -f -', grid(400));
      await ok('apply -f -', machine('render', { maxIntensity: 200 }));
      await wait('jsonpath={.status.conditions[?(@.type=="CarbonAware")].reason}=WaitingForGreenEnergy');
      expect(await ok('get vm render -o jsonpath={.status.phase},{.status.carbonIntensity}')).toBe('Pending,400');
      expect(await ok('get vmi -o name')).toBe('');
      expect(await carbon('hyperctl', 'carbon', '-op', 'status')).toContain('WaitingForGreenEnergy');
      await ok('apply -f -', grid(90));
      await wait('condition=CarbonAware');
      await wait('condition=Ready');
      expect(await ok('get vm render -o jsonpath={.status.carbon.intensityWhenAsked},{.status.carbonIntensity}')).toBe(
        '400,90',
      );
      const report = JSON.parse(await carbon('vimana', 'carbon', 'report', '-o', 'json'));
      expect(report.machines).toMatchObject([{ name: 'render', zone: 'DE', intensity: 90 }]);
    },
    SLOW,
  );

  it(
    'waits again after a stop, up to its maximum delay',
    async () => {
      await ok('apply -f -', grid(400));
      await ok('patch vm render --type=merge -p {"spec":{"running":false}}');
      await wait('jsonpath={.status.phase}=Stopped');
      await ok('patch vm render --type=merge -p {"spec":{"running":true,"carbonAware":{"maxDelay":"3s"}}}');
      await wait('jsonpath={.status.conditions[?(@.type=="CarbonAware")].reason}=MaxDelayReached');
      await wait('condition=Ready');
      await ok('delete vm render');
    },
    SLOW,
  );
}
