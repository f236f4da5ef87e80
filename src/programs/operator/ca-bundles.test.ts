import { describe, expect, it } from 'vitest';
import { apiServicePatch, hookPatch } from './ca-bundles.ts';

const service = { namespace: 'system', name: 'hooks' };
const hook = (name: string, clientConfig: object) => ({ name, clientConfig });
const configuration = (...webhooks: object[]) => ({ apiVersion: 'v1', kind: 'X', metadata: {}, webhooks }) as never;
const apiService = (spec: object) => ({ apiVersion: 'v1', kind: 'X', metadata: {}, spec }) as never;

describe('the CA bundle of the operator', () => {
  it('is set in hooks that call the operator with another bundle, and in no others', () => {
    const found = configuration(
      hook('current', { service, caBundle: 'new' }),
      hook('old', { service, caBundle: 'old' }),
      hook('elsewhere', { service: { ...service, namespace: 'other' } }),
      hook('by address', { url: 'https://example.com' }),
      hook('none yet', { service }),
    );
    expect(hookPatch(found, service, 'new')).toEqual({
      type: 'json',
      body: [1, 4].flatMap((at) => [
        { op: 'test', path: `/webhooks/${at}/name`, value: at === 1 ? 'old' : 'none yet' },
        { op: 'add', path: `/webhooks/${at}/clientConfig/caBundle`, value: 'new' },
      ]),
    });
  });

  it('is not written if nothing changes', () => {
    expect(hookPatch(configuration(), service, 'new')).toBeUndefined();
    expect(hookPatch(configuration(hook('current', { service, caBundle: 'new' })), service, 'new')).toBeUndefined();
    expect(apiServicePatch(apiService({ service, caBundle: 'new' }), service, 'new')).toBeUndefined();
  });

  it('is not set in the APIService of another operator, such as KubeVirt itself', () => {
    const other = apiService({ service: { namespace: 'kubevirt', name: 'virt-api' } });
    expect(apiServicePatch(other, service, 'new')).toBeUndefined();
    expect(apiServicePatch(apiService({}), service, 'new')).toBeUndefined();
    const patch = { type: 'merge', body: { spec: { caBundle: 'new' } } };
    expect(apiServicePatch(apiService({ service }), service, 'new')).toEqual(patch);
  });
});
