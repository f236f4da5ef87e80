import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KubeconfigContent, writeKubeconfig } from '#platform/kube/kubeconfig/format-kubeconfig';
import type { ControlPlane } from '../control-plane.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Kubectl {
  /** Flags that every call begins with. */
  readonly flags: readonly string[];
  run(...args: string[]): Promise<Ran>;
  /** Runs kubectl with an object on its standard input. */
  give(input: object, ...args: string[]): Promise<Ran>;
  close(): void;
}

/** Runs kubectl as the administrator of a control plane. */
export function kubectlFor({ pki: { caPem, admin }, url: server }: ControlPlane): Kubectl {
  return kubectlWith({ name: 'x', server, caPem, clientCert: admin.certPem, clientKey: admin.keyPem });
}

/** Runs kubectl as the user of a kubeconfig. */
export function kubectlWith(content: KubeconfigContent): Kubectl {
  const directory = mkdtempSync(join(tmpdir(), 'vimana-kubectl-'));
  const kubeconfig = join(directory, 'kubeconfig');
  writeKubeconfig(kubeconfig, content);
  const flags = ['--kubeconfig', kubeconfig, '--cache-dir', join(directory, 'cache')];
  const run = (args: readonly string[], input: string) =>
    new Promise<Ran>((resolve) => {
      const child = execFile('kubectl', [...flags, ...args], (error, out, err) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : 1, out, err });
      });
      child.stdin?.end(input);
    });
  return {
    flags,
    run: (...args) => run(args, ''),
    give: (input, ...args) => run(args, JSON.stringify(input)),
    close: () => rmSync(directory, { recursive: true, force: true }),
  };
}
