import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { afterAll, expect, it } from 'vitest';
import { attackSuite } from './support/attack-suite.ts';
import type { AttackTarget, AttackTargetSource } from './support/attack-target.ts';

const SESSIONS = 7;
const STREAMS = 100;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const EDIT_CONFIG_MAPS = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'create'] }];

/** Opens streams whose bodies start and never end. */
async function trickle(target: AttackTarget, user: string): Promise<ClientHttp2Session[]> {
  const { certPem: cert, keyPem: key } = target.certificate(user);
  const sessions: ClientHttp2Session[] = [];
  for (let i = 0; i < SESSIONS; i++) {
    const session = connect(target.url, { ca: target.caPem, cert, key });
    session.on('error', () => {});
    await once(session, 'remoteSettings');
    sessions.push(session);
    for (let j = 0; j < STREAMS; j++) {
      const headers = { ':method': 'POST', ':path': CONFIG_MAPS, 'content-type': 'application/json' };
      const stream = session.request(headers, { endStream: false });
      stream.on('error', () => {});
      stream.resume();
      stream.write('{');
    }
  }
  return sessions;
}

export function slowBodyAttacks(source: AttackTargetSource): void {
  attackSuite('slow bodies', source, (target) => {
    const open: ClientHttp2Session[] = [];
    afterAll(() => {
      for (const session of open) session.destroy();
    });

    it('serves others while one user keeps 700 bodies open', async () => {
      const bob = await target().user('patient-bob', { namespaces: { default: EDIT_CONFIG_MAPS } });
      await target().user('trickle-mallory', { namespaces: { default: EDIT_CONFIG_MAPS } });
      open.push(...(await trickle(target(), 'trickle-mallory')));
      for (let i = 0; i < 20; i++) {
        expect((await bob.send('GET', CONFIG_MAPS)).status).toBe(200);
        expect((await bob.send('POST', CONFIG_MAPS, { body: { metadata: { name: `bob-${i}` } } })).status).toBe(201);
      }
      expect((await target().admin.send('GET', '/readyz')).status).toBe(200);
    });
  });
}
