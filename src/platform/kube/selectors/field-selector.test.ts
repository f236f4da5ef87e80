import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ParseError } from '#platform/base/errors';
import { escapeValue, type FieldSelector, parseFieldSelector } from './field-selector.ts';
import { builtInFields, customFields, type SelectableFields } from './selectable-fields.ts';
// Results of Kubernetes 1.36 for each selector: its text, and the field sets it matches.
import answers from './selectors.data.json' with { type: 'json' };

const flat: SelectableFields = {
  names: [],
  read: (field) => (object) => (object as Record<string, string>)[field] ?? '',
};

function answerOf(read: () => FieldSelector) {
  try {
    const selector = read();
    const matches = selector.on(flat);
    return {
      canonical: selector.toString(),
      matches: answers.fieldSets.map((fields) => (matches(fields) ? '1' : '0')).join(''),
    };
  } catch (error) {
    expect(error).toBeInstanceOf(ParseError);
    return { error: (error as Error).message };
  }
}

describe('a field selector', () => {
  it.each(answers.fieldSelectors)('is parsed as by Kubernetes: $text', (response) => {
    const { error, canonical = '', matches } = response as { error?: string; canonical?: string; matches?: string };
    const desired = error === undefined ? { canonical, matches } : { error };
    expect(answerOf(() => parseFieldSelector(response.text))).toEqual(desired);
  });

  it('returns the single name that it requires', () => {
    expect(parseFieldSelector('metadata.name=a,status.phase!=Running').exact('metadata.name')).toBe('a');
    expect(parseFieldSelector('metadata.name!=a').exact('metadata.name')).toBeUndefined();
  });

  it('finds any escaped value', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\\', ',', '=', '!', ' ', 'é') }), (value) => {
        const selector = parseFieldSelector(`metadata.name=${escapeValue(value)}`);
        expect(selector.exact('metadata.name')).toBe(value);
        expect(parseFieldSelector(selector.toString()).exact('metadata.name')).toBe(value);
      }),
    );
  });
});

const meta = { name: 'n', namespace: 's' };

describe('the fields of a resource', () => {
  const pod = {
    metadata: meta,
    spec: { nodeName: 'node-1', restartPolicy: 'Always', schedulerName: 'default-scheduler', serviceAccountName: 'sa' },
    status: { phase: 'Running', podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }], nominatedNodeName: 'node-2' },
  };
  const event = {
    metadata: meta,
    involvedObject: { kind: 'Pod', name: 'p', uid: 'u' },
    reportingComponent: 'kubelet',
    type: 'Normal',
    reason: 'Started',
  };
  it.each([
    ['v1/pods', 'spec.nodeName=node-1,status.phase=Running,metadata.namespace=s', pod],
    ['v1/pods', 'spec.host=node-1,spec.hostNetwork=false,spec.restartPolicy=Always', pod],
    ['v1/pods', 'status.podIP=10.0.0.1,status.podIPs=,status.nominatedNodeName=node-2', pod],
    ['v1/pods', 'spec.schedulerName=default-scheduler,spec.serviceAccountName=sa', pod],
    ['v1/pods', 'spec.nodeName=,status.phase=,spec.hostNetwork=true', { spec: { hostNetwork: true } }],
    ['v1/events', 'involvedObject.kind=Pod,involvedObject.uid=u,source=kubelet,reportingComponent=kubelet', event],
    ['v1/events', 'source=scheduler', { ...event, source: { component: 'scheduler' } }],
    ['events.k8s.io/v1/events', 'regarding.kind=Pod,regarding.name=p,reportingController=kubelet', event],
    ['events.k8s.io/v1/events', 'regarding.kind=Node,reason=X', { regarding: { kind: 'Node' }, reason: 'X' }],
    ['v1/nodes', 'spec.unschedulable=false,metadata.name=n', { metadata: meta }],
    ['v1/nodes', 'spec.unschedulable=true', { spec: { unschedulable: true } }],
    ['v1/namespaces', 'status.phase=Active', { status: { phase: 'Active' } }],
    ['v1/secrets', 'type=Opaque', { type: 'Opaque' }],
    ['v1/services', 'spec.type=ClusterIP,spec.clusterIP=None', { spec: { type: 'ClusterIP', clusterIP: 'None' } }],
    ['v1/replicationcontrollers', 'status.replicas=0', {}],
    ['batch/v1/jobs', 'status.successful=3', { status: { succeeded: 3 } }],
    ['certificates.k8s.io/v1/certificatesigningrequests', 'spec.signerName=a/b', { spec: { signerName: 'a/b' } }],
    ['resource.k8s.io/v1/resourceslices', 'spec.driver=d,spec.nodeName=', { spec: { driver: 'd' } }],
    ['v1/configmaps', 'metadata.name=n,metadata.namespace=s', { metadata: meta }],
  ])('%s are selected by %s', (resource, text, object) => {
    const matches = parseFieldSelector(text).on(builtInFields(resource));
    expect(matches(object)).toBe(true);
    for (const { field, value } of parseFieldSelector(text).requirements) {
      const other = parseFieldSelector(`${field}!=${escapeValue(value)}`).on(builtInFields(resource));
      expect(other(object)).toBe(false);
    }
  });

  it.each([
    ['v1/configmaps', '"x" is not a known field selector: only "metadata.name", "metadata.namespace"'],
    ['constructor', '"x" is not a known field selector: only "metadata.name", "metadata.namespace"'],
    ['v1/pods', 'field label not supported: x'],
    ['batch/v1/jobs', 'field label "x" not supported for Job'],
    ['resource.k8s.io/v1/resourceslices', 'field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: x'],
  ])('of %s are reported if another one is selected', (resource, message) => {
    expect(() => parseFieldSelector('metadata.name=a,x=y').on(builtInFields(resource))).toThrow(message);
  });

  it('of a custom resource are its name, its namespace and those of its CRD', () => {
    const fields = customFields(['.spec.color', '.spec.size', '.spec.live']);
    const object = { metadata: meta, spec: { color: 'red', size: 1_000_000_000, live: false } };
    const matches = (text: string) => parseFieldSelector(text).on(fields)(object);
    expect(matches('spec.color=red,spec.size=1000000000,spec.live=false,metadata.name=n')).toBe(true);
    expect(matches('spec.size=1e9')).toBe(false);
    expect(parseFieldSelector('spec.color=').on(fields)({ metadata: meta })).toBe(true);
    expect(() => matches('.spec.color=red')).toThrow('field label not supported: .spec.color');
  });
});
