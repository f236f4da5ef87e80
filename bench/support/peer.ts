import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Target } from './target.ts';

/** Starts a real kube-apiserver with etcd. Returns undefined if its binaries are not installed. */
export async function startPeer(folder: string): Promise<Target | undefined> {
  const assets = process.env['KUBE_ASSETS'] ?? join(homedir(), '.cache', 'vimana', 'assets');
  if (!existsSync(join(assets, 'kube-apiserver')) || !existsSync(join(assets, 'etcd'))) return undefined;
  mkdirSync(folder, { recursive: true });
  const file = (name: string) => join(folder, name);
  execFileSync('openssl', ['genrsa', '-out', file('sa.key'), '2048'], { stdio: 'ignore' });
  execFileSync('openssl', ['rsa', '-in', file('sa.key'), '-pubout', '-out', file('sa.pub')], { stdio: 'ignore' });
  writeFileSync(file('tokens.csv'), 'bench-token,admin,admin,system:masters\n', { mode: 0o600 });
  const [client = 0, peer = 0, api = 0] = await freePorts(3);
  const at = (port: number) => `http://127.0.0.1:${port}`;
  const etcd = spawn(
    join(assets, 'etcd'),
    [
      ['--data-dir', file('etcd')],
      ['--listen-client-urls', at(client), '--advertise-client-urls', at(client)],
      ['--listen-peer-urls', at(peer), '--initial-advertise-peer-urls', at(peer)],
      ['--initial-cluster', `default=${at(peer)}`],
    ].flat(),
    { stdio: 'ignore' },
  );
  const began = performance.now();
  const server = spawn(
    join(assets, 'kube-apiserver'),
    [
      ['--etcd-servers', at(client), '--cert-dir', file('certs')],
      ['--secure-port', String(api), '--bind-address', '127.0.0.1'],
      ['--service-account-issuer', 'https://kubernetes.default.svc'],
      ['--service-account-key-file', file('sa.pub'), '--service-account-signing-key-file', file('sa.key')],
      ['--token-auth-file', file('tokens.csv'), '--authorization-mode', 'RBAC'],
      ['--service-cluster-ip-range', '10.96.0.0/16'],
    ].flat(),
    { stdio: 'ignore' },
  );
  const url = `https://127.0.0.1:${api}`;
  await ready(url, 'bench-token');
  return {
    name: 'kube-apiserver + etcd',
    url,
    token: 'bench-token',
    readyMs: performance.now() - began,
    pids: [etcd.pid ?? 0, server.pid ?? 0],
    stop: async () => {
      await kill(server);
      await kill(etcd);
    },
  };
}

async function kill(child: ChildProcess): Promise<void> {
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exit;
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  for (const server of servers) server.close();
  return ports;
}

/** Polls /readyz until it returns ok. */
export async function ready(url: string, token: string): Promise<void> {
  for (;;) {
    try {
      const args = [
        '-sk',
        '-o',
        '/dev/null',
        '-w',
        '%{http_code}',
        '-H',
        `Authorization: Bearer ${token}`,
        `${url}/readyz`,
      ];
      if (execFileSync('curl', args, { encoding: 'utf8' }) === '200') return;
    } catch {
      // The server does not listen yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
