import { expect, it } from 'vitest';
import { attackSuite } from './support/attack-suite.ts';
import type { AttackTargetSource } from './support/attack-target.ts';

/** Paths that authorization and routing could interpret differently, or that are stored where others can read them. */
export function requestPathAttacks(source: AttackTargetSource): void {
  attackSuite('request paths', source, (target) => {
    it('does not expose paths invented by users in the metrics, however many there are', async () => {
      const mallory = await target().user('paths-mallory');
      const words = Array.from({ length: 50 }, (_, i) => `made-up-${i}`);
      for (const word of words) {
        await mallory.send('GET', `/apis/${word}/v1/${word}`);
        await mallory.send('GET', `/api/v1/namespaces/default/pods/a/${word}`);
        await mallory.send('GET', `/api/v1/${word}/a/${word}`);
      }
      const { status, body } = await target().admin.send('GET', '/metrics', { headers: { accept: '*/*' } });
      expect(status).toBe(200);
      expect(String(body)).toContain('apiserver_request_total');
      expect(words.filter((word) => String(body).includes(word))).toEqual([]);
    });

    it('authorizes a path as it is served, however it is spelled', async () => {
      const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }];
      const mallory = await target().user('spelling-mallory', { namespaces: { default: rules } });
      const metadata = { name: 'spelled' };
      await target().admin.must('POST', '/api/v1/namespaces/default/secrets', { body: { metadata } });
      await target().admin.must('POST', '/api/v1/namespaces/default/configmaps', { body: { metadata } });
      for (const path of [
        '%6eamespaces/default%2Fsecrets/spelled',
        'namespaces/default/configmaps%2f..%2fsecrets/spelled',
      ]) {
        expect((await mallory.send('GET', `/api/v1/${path}`)).status).toBe(403);
      }
      expect((await mallory.send('GET', '/%61pi/v1/namespaces/default%2Fconfigmaps/spelled')).status).toBe(200);
    });

    it('treats a selected name as the name only where Kubernetes does', async () => {
      const rules = [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['a'], verbs: ['list', 'watch'] }];
      const mallory = await target().user('selector-mallory', { namespaces: { default: rules } });
      const place = 'namespaces/default/configmaps?fieldSelector=metadata.name';
      expect((await mallory.send('GET', `/api/v1/${place}=a`)).status).toBe(200);
      for (const path of [`${place}!=a`, `${place}=b`, `watch/${place}=a`, 'namespaces/default/configmaps']) {
        expect((await mallory.send('GET', `/api/v1/${path}`)).status).toBe(403);
      }
    });

    it('reveals nothing about a path with an empty segment to unauthorized users', async () => {
      const mallory = await target().user('empty-mallory');
      for (const path of ['/api/v1//secrets', '/api/v1/namespaces//default/secrets', '/apis//apps/v1/deployments']) {
        expect((await mallory.send('GET', path)).status).toBe(403);
      }
    });

    it('lets a role in a namespace allow reading only that namespace', async () => {
      const rules = [{ apiGroups: [''], resources: ['namespaces'], verbs: ['get'] }];
      const alice = await target().user('namespace-alice', { namespaces: { default: rules } });
      expect((await alice.send('GET', '/api/v1/namespaces/default')).status).toBe(200);
      expect((await alice.send('GET', '/api/v1/namespaces/kube-system')).status).toBe(403);
      expect((await alice.send('GET', '/api/v1/namespaces')).status).toBe(403);
    });
  });
}
