import { afterAll, beforeAll, describe } from 'vitest';
import type { AttackTarget, AttackTargetSource } from './attack-target.ts';

/**
 * Runs attacks on a target that is started before them and stopped after them. The same attacks run on ours
 * (`<topic>.test.ts`) and on kube-apiserver (`<topic>.cluster.test.ts`), so that ours is shown to be as strict.
 */
export function attackSuite(
  topic: string,
  source: AttackTargetSource,
  attacks: (target: () => AttackTarget) => void,
): void {
  describe(`${topic} on ${source.name}`, () => {
    let target: AttackTarget | undefined;
    beforeAll(async () => {
      target = await source.start();
    });
    afterAll(() => target?.stop());
    attacks(() => {
      if (target === undefined) throw new Error('the target has not been started');
      return target;
    });
  });
}
