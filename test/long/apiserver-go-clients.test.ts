import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { realClock } from '#platform/base/clock';
import { noopLogger } from '#platform/base/logger';
import { systemRandom } from '#platform/base/random';
import { formatKubeconfig } from '#platform/kube/kubeconfig/format-kubeconfig';
import { startVmControlPlane } from '#programs/embedded/control-plane';
import { hasPrograms } from '#testing/programs';
import { built } from '../cluster/build.ts';

/** The first build of client-go takes minutes, so this is not part of `npm test`. */
const hasGo = hasPrograms('client-go', 'go');

it.skipIf(!hasGo)('serves client-go: informers, leader election, apply, dynamic client, a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-go-'));
  const dataDir = join(folder, 'data');
  const binary = await built('go-clients');
  const start = (port = 0) =>
    startVmControlPlane({ dataDir, store: 'lmdb', port, clock: realClock, random: systemRandom(), log: noopLogger });
  let plane = await start();
  try {
    const { caPem, admin } = plane.pki;
    const kubeconfig = join(folder, 'kubeconfig');
    const secrets = { caPem, clientCert: admin.certPem, clientKey: admin.keyPem };
    writeFileSync(kubeconfig, formatKubeconfig({ name: 'vimana', server: plane.url, ...secrets }), { mode: 0o600 });
    const child = spawn(binary, [], { env: { KUBECONFIG: kubeconfig }, stdio: ['pipe', 'pipe', 'inherit'] });
    const lines: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      if (line !== 'restart now') lines.push(line);
      else {
        await plane.stop();
        plane = await start(plane.port);
        child.stdin.end('done\n');
      }
    }
    expect(lines).toEqual([
      'ok: informers in JSON',
      'ok: informers in protobuf',
      'ok: server-side apply',
      'ok: leader election',
      'ok: the dynamic client',
      'ok: an informer over a restart',
    ]);
  } finally {
    await plane.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
