import { expect, it } from 'vitest';
import { attackSuite } from './support/attack-suite.ts';
import type { AttackTargetSource } from './support/attack-target.ts';
import { ATTACKED_NAMESPACE, COSTLY_ATTACKS } from './support/costly-requests.ts';

/** Response to one request of an attack. `npm run bench stalls` measures how long others wait meanwhile. */
const ANSWERS: Readonly<Record<string, number>> = {
  'managed fields': 201,
  'new megabyte objects': 201,
  'bad labels': 413,
  'owner references': 201,
  'duplicate and unknown fields': 413,
  'JSON patches': 200,
  'strategic patches': 200,
  YAML: 201,
  'protobuf put': 200,
};

export function costlyAttacks(source: AttackTargetSource): void {
  attackSuite('costly requests', source, (target) => {
    it.each(Object.entries(ANSWERS))('of %s get the response %i', async (name, status) => {
      const { admin } = target();
      const attack = COSTLY_ATTACKS.find((each) => each.name === name);
      const [first] = attack?.burst() ?? [];
      if (attack === undefined || first === undefined) throw new Error(`no attack is called ${name}`);
      await admin.send('POST', '/api/v1/namespaces', { body: { metadata: { name: ATTACKED_NAMESPACE } } });
      const account = { metadata: { name: 'default' } };
      await admin.send('POST', `/api/v1/namespaces/${ATTACKED_NAMESPACE}/serviceaccounts`, { body: account });
      for (const { method, path, ...request } of attack.setup?.() ?? []) await admin.must(method, path, request);
      const { method, path, ...request } = first;
      expect((await admin.send(method, path, request)).status).toBe(status);
    });
  });
}
