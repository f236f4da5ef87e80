import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DIALECT_NAMES, type DialectName } from '#api/groups';
import { whatNext } from './what-next.ts';

const tokenFile = '/home/me/token';
const said = (dialects: readonly DialectName[], vmShortName?: string) =>
  whatNext({
    background: false,
    settings: {
      dialects,
      ephemeral: false,
      mergeKubeconfig: false,
      ...(vmShortName === undefined ? {} : { vmShortName }),
    },
    kubeconfig: '/home/me/it is',
    dataDir: '/data',
    tokenFile,
  });

const applied = (text: string) => [...text.matchAll(/kubectl apply -f (\S+)/g)].map(([, path]) => path ?? '');

test('suggested commands exist, and match the chosen groups', () => {
  for (const name of DIALECT_NAMES) {
    const paths = applied(said([name]));
    expect(paths, name).toHaveLength(1);
    expect(paths[0]).toContain(`examples/${name}/`);
    expect(
      paths.every((path) => existsSync(path)),
      name,
    ).toBe(true);
  }
});

test('live migration is not suggested for groups without it', () => {
  expect(said(['simulation'])).not.toContain('migrate');
  expect(said(['kubevirt'])).toContain('migrate');
});

test('the address of the exporter is shown if it is on', () => {
  const settings = { dialects: ['simulation'] as const, ephemeral: false, mergeKubeconfig: false };
  const started = { settings, background: false, kubeconfig: '/k', dataDir: '/data', tokenFile };
  expect(whatNext({ ...started, exporter: 'http://127.0.0.1:4242' })).toMatch(
    /^ {2}curl -s http:\/\/127\.0\.0\.1:4242\/metrics .*\n {2}bin\/vimana rebalance run --exporter http:\/\/127\.0\.0\.1:4242 /m,
  );
  expect(whatNext(started)).not.toContain('exporter');
});

test('the console of a real guest comes first', () => {
  const settings = { dialects: ['kubevirt'] as const, ephemeral: false, mergeKubeconfig: false };
  const started = { settings, background: false, kubeconfig: '/k', dataDir: '/data', tokenFile };
  expect(whatNext({ ...started, guest: 'guest-1' })).toMatch(/KUBECONFIG=\/k\n {2}bin\/vimana vm console guest-1 /);
  expect(whatNext(started)).not.toContain('console');
});

test('the group that vm means is shown', () => {
  expect(said(['hypersdk', 'kubevirt'])).toMatch(/ {2}kubectl get vm +# list VMs of kubevirt\.io\n/);
  expect(said(['hypersdk', 'kubevirt'], 'hypersdk.io')).toMatch(/ {2}kubectl get vm +# list VMs of hypersdk\.io\n/);
});

test('paths are quoted for the shell, and a non-default data directory is shown', () => {
  expect(said(['kubevirt'])).toContain("export KUBECONFIG='/home/me/it is'\n");
  expect(said(['kubevirt'])).toContain('bin/vimana down --data-dir /data; its objects');
});

test('the token file is shown', () => {
  expect(said(['kubevirt'])).toContain('need the token in /home/me/token to make changes');
});

test('a current context and an instance in the background need other commands', () => {
  const settings = { dialects: ['kubevirt'] as const, ephemeral: false, mergeKubeconfig: true };
  const text = whatNext({
    settings,
    kubeconfig: '/k',
    dataDir: '/data',
    tokenFile,
    background: true,
    context: 'vimana',
  });
  expect(text).toContain('  kubectl config use-context vimana  # it is current already\n');
  expect(text).not.toMatch(/Ctrl-C|KUBECONFIG/);
});
