import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { missingAssets } from './cluster/assets.ts';
import { Component } from './cluster/component.ts';
import { freePorts } from './cluster/ports.ts';
import { startRealCluster } from './cluster/real-cluster.ts';
import { onCluster } from './e2e/support/on-cluster.ts';
import { words } from './e2e/support/words.ts';

const LAUNCHER = resolve(import.meta.dirname, '../bin/vimana');
const WISH = 'install --dialects simulation --nodes 3 --examples';

describe.skipIf(missingAssets().length > 0)('vimana install on kube-apiserver', () => {
  const place = onCluster(() => startRealCluster({ kwok: true }));
  const { ok } = place;

  async function vimana(line: string, kubeconfig = place.target.kubeconfig) {
    const env = { PATH: process.env['PATH'], HOME: place.target.folder, KUBECONFIG: kubeconfig };
    const child = spawn(LAUNCHER, words(line), { env });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    return { code, out, err };
  }

  it('reports all permissions that an account lacks at once', async () => {
    await ok('create serviceaccount newcomer');
    const token = await place.target.tokenFor({ namespace: 'default', name: 'newcomer' });
    const { code, out, err } = await vimana(WISH, place.target.kubeconfigFor(token));
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('system:serviceaccount:default:newcomer lacks permission to:\n');
    expect(err).toContain('    get, create, patch, watch customresourcedefinitions.apiextensions.k8s.io\n');
    expect(err).toMatch(
      /escalate, bind clusterroles\S+, or each permission that they grant, of which \d+ of \d+ are missing/,
    );
    // Users with all permissions but without power over roles may install too.
    const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'operate'];
    await ok(`create clusterrole all --verb=${verbs.join(',')} --resource=*.*`);
    await ok('create clusterrolebinding all --clusterrole=all --serviceaccount=default:newcomer');
    await expect
      .poll(() => vimana(`${WISH} --dry-run`, place.target.kubeconfigFor(token)), { timeout: 20_000 })
      .toMatchObject({ code: 0 });
    expect(await ok('get crds -o name')).toBe('');
  }, 120_000);

  it('installs everything once, and reports the second time that nothing changed', async () => {
    const first = await vimana(WISH);
    expect(first.code, first.err).toBe(0);
    expect(first.out).toMatch(/\n4 kinds are served\n[^]*\n\d+ created, 0 configured, 0 unchanged\n/);
    await ok('wait --for=condition=Ready nodes --all --timeout=60s');
    const second = await vimana(WISH);
    expect(second.out).toMatch(/\n0 created, 0 configured, \d+ unchanged\n/);
    const larger = await vimana(`${WISH} --node-size 64cpu,256Gi`);
    expect(larger.out).toMatch(/\n0 created, 3 configured, \d+ unchanged\n/);
    expect(await ok('get node kwok-node-2 -o jsonpath={.status.capacity.cpu}')).toBe('64');
  }, 120_000);

  it('runs VMs with the command that it prints, and is uninstalled completely', async () => {
    const [metrics = 0, health = 0] = await freePorts(2);
    const { out } = await vimana(WISH);
    const [, named = ''] = /^ {2}bin\/vimana (operator .*?) +#/m.exec(out) ?? [];
    expect(named).toBe('operator --dialects simulation --webhook-port 0');
    const operator = new Component({
      name: 'operator',
      binary: LAUNCHER,
      args: [
        ...words(named),
        `--kubeconfig=${place.target.kubeconfig}`,
        `--metrics-bind-addr=127.0.0.1:${metrics}`,
        `--health-probe-bind-addr=127.0.0.1:${health}`,
      ],
      folder: place.target.folder,
    });
    place.target.onStop(() => operator.stop('at once'));
    operator.start();
    await ok('wait vm --all --for=jsonpath={.status.phase}=Running --timeout=120s');
    const kept = await vimana('uninstall');
    expect(kept).toMatchObject({ code: 1, out: '' });
    expect(kept.err).toContain('virtualmachines.simulation.node-classifier.io has 7 objects\n');
    const gone = await vimana('uninstall --with-objects');
    expect(gone.code, gone.err).toBe(0);
    expect(gone.out).toContain('namespace/vimana-system deleted\n');
    expect(await ok('get crds -o name')).toBe('');
    expect(await ok('get nodes -o name')).toBe('');
    expect(await ok('get clusterroles,clusterrolebindings -l app.kubernetes.io/name=vimana -o name')).toBe('');
    await ok('wait --for=delete namespace/vimana-system --timeout=60s');
  }, 240_000);

  it('installs over objects that kubectl has applied, and keeps a namespace that others use', async () => {
    await ok(`apply --server-side -f ${resolve(import.meta.dirname, '../deploy/crds')}`);
    const { code, err } = await vimana('install');
    expect(code, err).toBe(0);
    await ok('create configmap notes -n vimana-system');
    const kept = await vimana('uninstall');
    expect(kept.code, kept.err).toBe(0);
    expect(kept.out).toContain('namespace/vimana-system kept: it contains configmap/notes\n');
    expect(await ok('get crds -o name')).toBe('');
    await ok('delete configmap notes -n vimana-system');
    expect((await vimana('uninstall')).out).toBe('namespace/vimana-system deleted\n');
  }, 240_000);
});
