import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Plane } from './apiextensions/plane.fixture.ts';
import { MERGE, messageOf, NAMESPACE, startPlaneForPods, template } from './kubernetes-answers.fixture.ts';

/** Compares with the responses of kube-apiserver v1.36.3 to the same requests for kinds with special behavior. */

let plane: Plane;

beforeAll(async () => {
  plane = await startPlaneForPods();
});
afterAll(() => plane.plane.stop());

describe('as in Kubernetes,', () => {
  it('a kind whose validation ignores metadata reports a missing name only if nothing else is invalid', async () => {
    const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
    const fields = async (spec: object) => {
      const { body } = await plane.ask('POST', budgets, { spec });
      return (body['details'] as { causes: { field: string }[] }).causes.map(({ field }) => field);
    };
    expect(await fields({ minAvailable: 'x' })).toEqual(['spec.minAvailable']);
    expect(await fields({ minAvailable: 1 })).toEqual(['metadata.name']);
  });

  it('a kind with required lists stores an empty one as null, which its writer owns', async () => {
    const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
    await plane.ask('POST', slices, { metadata: { name: 's' }, addressType: 'IPv4' });
    const sent = { metadata: { name: 's' }, addressType: 'IPv4', ports: [] };
    const { body } = await plane.ask('PUT', `${slices}/s?fieldManager=two`, sent);
    expect(body).toMatchObject({ ports: null, endpoints: null, metadata: { generation: 1 } });
    expect(JSON.stringify(body['metadata'])).toContain('"f:ports"');
    const limits = await plane.ask('POST', `${NAMESPACE}/limitranges`, {
      metadata: { name: 'l' },
      spec: { limits: [] },
    });
    expect(limits.body['spec']).toEqual({ limits: null });
  });

  it('a DaemonSet counts template generations in an annotation that the writer owns', async () => {
    const path = '/apis/apps/v1/namespaces/default/daemonsets';
    const spec = { selector: { matchLabels: { a: 'b' } }, template };
    const { body } = await plane.ask('POST', `${path}?fieldManager=one`, { metadata: { name: 'd' }, spec });
    const counted = 'deprecated.daemonset.template.generation';
    expect(body['metadata']).toMatchObject({
      annotations: { [counted]: '1' },
      managedFields: [
        { manager: 'one', fieldsV1: { 'f:metadata': { 'f:annotations': { '.': {}, [`f:${counted}`]: {} } } } },
      ],
    });
  });

  it('a CustomResourceDefinition requires one schema if versions have the same selectable fields', async () => {
    const version = (name: string, more: object) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: { type: 'object', properties: { a: { type: 'string' }, ...more } } },
      selectableFields: [{ jsonPath: '.a' }],
    });
    const spec = (more: object) => ({
      group: 'select.example',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [version('v1', {}), version('v2', more)],
    });
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All';
    const metadata = { name: 'things.select.example' };
    expect((await plane.ask('POST', path, { metadata, spec: spec({}) })).code).toBe(201);
    const rejected = await plane.ask('POST', path, { metadata, spec: spec({ b: { type: 'string' } }) });
    expect(messageOf(rejected)).toContain(
      'spec.selectableFields: Invalid value: "": may only be set when validations.schema is included',
    );
  });

  it('a LimitRange requires container resources for pods, and a conflict of a generated name mentions that', async () => {
    const spec = { limits: [{ type: 'Pod', max: { x: '1' } }] };
    const rejected = await plane.ask('POST', `${NAMESPACE}/limitranges`, { metadata: { name: 'l2' }, spec });
    expect(messageOf(rejected)).toContain(
      'spec.limits[0].max[x]: Invalid value: "x": must be a standard resource for containers',
    );
    const both = { metadata: { name: 'both', generateName: 'x-' } };
    await plane.ask('POST', `${NAMESPACE}/configmaps`, both);
    const taken = await plane.ask('POST', `${NAMESPACE}/configmaps`, both);
    expect(messageOf(taken)).toBe(
      'configmaps "both" already exists, the server was not able to generate a unique name for the object',
    );
  });

  it('a StatefulSet validates the service name only on creation', async () => {
    const sets = '/apis/apps/v1/namespaces/default/statefulsets';
    const spec = { selector: { matchLabels: { a: 'b' } }, template };
    const bad = { serviceName: 'a/b' };
    const created = await plane.ask('POST', sets, { metadata: { name: 's' }, spec: { ...spec, ...bad } });
    expect(messageOf(created)).toContain('spec.serviceName: Invalid value');
    await plane.ask('POST', sets, { metadata: { name: 's' }, spec });
    expect(messageOf(await plane.ask('PATCH', `${sets}/s`, { spec: bad }, MERGE))).not.toContain('serviceName');
  });

  it('a kind with a pod template warns again when an annotation changes, and a DaemonSet never warns about its name', async () => {
    const constraint = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' };
    const spread = { ...template, spec: { ...template.spec, topologySpreadConstraints: [constraint] } };
    const spec = { selector: { matchLabels: { a: 'b' } }, template: spread };
    const path = '/apis/apps/v1/namespaces/default/deployments';
    await plane.ask('POST', path, { metadata: { name: 'warned' }, spec });
    const patch = (metadata: object) => plane.ask('PATCH', `${path}/warned`, { metadata }, MERGE);
    expect((await patch({ annotations: { a: 'b' } })).warning).toContain(
      'a null labelSelector results in matching no pod',
    );
    expect((await patch({ labels: { a: 'b' } })).warning).toBeNull();
    const daemons = '/apis/apps/v1/namespaces/default/daemonsets?dryRun=All';
    const plain = { selector: { matchLabels: { a: 'b' } }, template };
    expect((await plane.ask('POST', daemons, { metadata: { name: 'a.b' }, spec: plain })).warning).toBeNull();
  });

  it('a ReplicationController keeps its labels if its status is written without any', async () => {
    const path = `${NAMESPACE}/replicationcontrollers`;
    await plane.ask('POST', path, { metadata: { name: 'labelled' }, spec: { template } });
    const { body } = await plane.ask('PUT', `${path}/labelled/status`, { metadata: { name: 'labelled' } });
    expect(body['metadata']).toMatchObject({ labels: { a: 'b' } });
  });

  it('a Pod cannot be resized if its containers report no resources', async () => {
    await plane.ask('POST', `${NAMESPACE}/pods`, { metadata: { name: 'fixed' }, spec: template.spec });
    const containerStatuses = [
      { name: 'c', image: 'i', imageID: '', ready: true, restartCount: 0, state: { running: {} } },
    ];
    await plane.ask('PATCH', `${NAMESPACE}/pods/fixed/status`, { status: { containerStatuses } }, MERGE);
    const spec = { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] };
    const strategic = 'application/strategic-merge-patch+json';
    const response = await plane.ask('PATCH', `${NAMESPACE}/pods/fixed/resize`, { spec }, strategic);
    expect(messageOf(response)).toContain('Pod running on node without support for resize');
  });

  it('a ReplicationController limits names by bytes, and a CustomResourceDefinition quotes missing versions', async () => {
    const name = 'x'.repeat(254);
    const long = await plane.ask('POST', `${NAMESPACE}/replicationcontrollers`, {
      metadata: { name },
      spec: { template },
    });
    expect(messageOf(long)).toContain('must be no more than 253 bytes');
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const quoted = async (spec: object) =>
      messageOf(await plane.ask('POST', definitions, { metadata: { name: 'x.y' }, spec }));
    const detail = 'must have exactly one version marked as storage version';
    expect(await quoted({})).toContain(`spec.versions: Invalid value: null: ${detail}`);
    expect(await quoted({ versions: [] })).toContain(`spec.versions: Invalid value: []: ${detail}`);
  });
});
