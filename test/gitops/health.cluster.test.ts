import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { hasPrograms } from '#testing/programs';
import { built } from '../cluster/build.ts';
import { HEALTH_CASES } from './health-cases.ts';

describe.skipIf(!hasPrograms('the interpreter that Argo CD runs health rules by', 'go'))(
  'the health of objects in a repository',
  () => {
    it('is read by Argo CD as by Flux', async () => {
      const { data } = parse(readFileSync('examples/gitops/argocd/argocd-cm.yaml', 'utf8')) as {
        data: Readonly<Record<string, string>>;
      };
      const asked = HEALTH_CASES.map(({ rule: { kind }, object }) => ({
        script: data[`resource.customizations.health.${kind.group}_${kind.kind}`] ?? '',
        object,
      }));
      // Not go run, which also prints what it downloads if its cache is empty.
      const interpreter = await built('health-rules');
      const { stdout, stderr, status } = spawnSync(interpreter, { input: JSON.stringify(asked), encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
      const told = JSON.parse(stdout) as readonly { readonly status: string; readonly message: string }[];
      const expected = HEALTH_CASES.map(({ name, health }) => [name, health]);
      expect(HEALTH_CASES.map(({ name }, at) => [name, told[at]?.status])).toEqual(expected);
      const failure = HEALTH_CASES.findIndex(({ name }) => name === 'VirtualMachine.kubevirt.io, Failure=True');
      expect(told[failure]?.message).toBe('because');
    });
  },
);
