import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realClock } from '#platform/base/clock';
import { noopLogger } from '#platform/base/logger';
import { systemRandom } from '#platform/base/random';
import { hasKubectl } from '#testing/programs';
import { type ControlPlane, startControlPlane } from '../control-plane.ts';
import { type Kubectl, kubectlFor } from '../http/kubectl.fixture.ts';

const DEFINITION = fileURLToPath(new URL('../../../../deploy/crds/hypersdk.io_virtualmachines.yaml', import.meta.url));

describe.skipIf(!hasKubectl())('kubectl', () => {
  let plane: ControlPlane;
  let kubectl: Kubectl;

  beforeAll(async () => {
    plane = await startControlPlane({ clock: realClock, random: systemRandom(), log: noopLogger });
    kubectl = kubectlFor(plane);
    await done(['create', '-f', DEFINITION]);
    await done(['wait', '--for=condition=Established', 'crd/virtualmachines.hypersdk.io', '--timeout=60s']);
  });

  afterAll(async () => {
    await plane?.stop();
    kubectl?.close();
  });

  const run = (args: readonly string[], input?: object) =>
    input === undefined ? kubectl.run(...args) : kubectl.give(input, ...args);

  async function done(args: readonly string[], input?: object): Promise<string> {
    const { code, out, err } = await run(args, input);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${err}`);
    return out;
  }

  it('explains a built-in kind', async () => {
    const out = await done(['explain', 'pod.spec']);
    expect(out).toContain('What a pod should run, and where.');
    expect(out).toMatch(/containers\s+<\[\]Container> -required-\n\s+The containers of the pod/);
    expect(out).toMatch(/restartPolicy\s+<string>\n\s+enum: Always, Never, OnFailure/);
  });

  it('explains a custom kind with the descriptions of its CRD', async () => {
    const out = await done(['explain', 'virtualmachines.spec.disks', '--api-version=hypersdk.io/v1alpha1']);
    expect(out).toContain('GROUP:      hypersdk.io');
    expect(out).toMatch(/bootOrder\s+<integer>\n\s+Position in the boot order/);
  });

  it('explains all fields at once', async () => {
    const out = await done(['explain', 'deployment', '--recursive']);
    expect(out).toMatch(/ports\t<\[\]ContainerPort>\n\s+containerPort\t<integer> -required-/);
    const custom = await done(['explain', 'virtualmachines', '--recursive', '--api-version=hypersdk.io/v1alpha1']);
    expect(custom).toMatch(/ {4}disks\t<\[\]Object>\n {6}bootOrder\t<integer>/);
  });

  it('reads OpenAPI v2 in protobuf', async () => {
    const out = await done(['explain', 'pod.spec.containers', '--output', 'plaintext-openapiv2']);
    expect(out).toMatch(/image\t<string>\n\s+The image that is run\./);
    const custom = await done(['explain', 'virtualmachines.spec.disks', '--output', 'plaintext-openapiv2']);
    expect(custom).toContain('Position in the boot order');
  });

  const configMap = (more: object) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings', namespace: 'default' },
    data: { a: '1' },
    ...more,
  });

  it('detects that the server validates fields, and relies on it', async () => {
    const { code, err } = await run(['apply', '-f', '-'], configMap({ bogus: 1 }));
    expect(code).toBe(1);
    expect(err).toContain('strict decoding error: unknown field "bogus"');
    expect(await done(['apply', '-f', '-'], configMap({}))).toBe('configmap/settings created\n');
    const warned = await run(['apply', '--validate=warn', '-f', '-'], configMap({ data: { a: '2' }, bogus: 1 }));
    expect([warned.code, warned.out]).toEqual([0, 'configmap/settings configured\n']);
  });

  /** A list has no patch operation, so kubectl validates its items against OpenAPI v2 itself. */
  it('validates the items of a list itself', async () => {
    const machine = { apiVersion: 'hypersdk.io/v1alpha1', kind: 'VirtualMachine', metadata: { name: 'listed' } };
    const list = (more: object) => ({
      apiVersion: 'v1',
      kind: 'List',
      items: [configMap(more), { ...machine, spec: { cpus: 1, memory: '1Gi' } }],
    });
    const { code, err } = await run(['create', '--dry-run=client', '-f', '-'], list({ data: ['a'] }));
    expect(code).toBe(1);
    expect(err).toContain('invalid type for io.k8s.api.core.v1.ConfigMap.data');
    const created = await done(['create', '--dry-run=client', '-f', '-'], list({}));
    expect(created).toContain('virtualmachine.hypersdk.io/listed created (dry run)');
  });

  const deployment = (image: string, labels: object) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default', labels },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image }] } },
    },
  });

  it('merges lists of built-in kinds by key, and keeps items of other writers', async () => {
    await done(['apply', '-f', '-'], deployment('app:1', { gone: 'soon' }));
    const sidecar = { spec: { template: { spec: { containers: [{ name: 'side', image: 'side:1' }] } } } };
    await done(['patch', 'deployment', 'web', '--type=strategic', '-p', JSON.stringify(sidecar)]);
    await done(['apply', '-f', '-'], deployment('app:2', {}));
    const { metadata, spec } = JSON.parse(await done(['get', 'deployment', 'web', '-o', 'json']));
    const images = spec.template.spec.containers.map(({ image }: { image: string }) => image);
    expect(images.sort()).toEqual(['app:2', 'side:1']);
    expect(metadata.labels).toBeUndefined();
  });

  it('applies a custom resource repeatedly', async () => {
    const machine = (memory: string) => ({
      apiVersion: 'hypersdk.io/v1alpha1',
      kind: 'VirtualMachine',
      metadata: { name: 'one', namespace: 'default' },
      spec: { cpus: 1, memory },
    });
    const created = await run(['apply', '-f', '-'], { ...machine('1Gi'), spec: { ...machine('1Gi').spec, bogus: 1 } });
    expect(created.err).toContain('unknown field "spec.bogus"');
    await done(['apply', '-f', '-'], machine('1Gi'));
    expect(await done(['apply', '-f', '-'], machine('2Gi'))).toContain('configured');
    expect(await done(['apply', '-f', '-'], machine('2Gi'))).toContain('unchanged');
  });
});
