import { execFile } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { writeKubeconfig } from '../../kube/kubeconfig/kubeconfig-text.ts';
import type { ControlPlane } from '../control-plane.ts';

/** Whether kubectl is here; CI always has it. */
export const hasKubectl =
  process.env['CI'] === 'true' ||
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, 'kubectl'), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Kubectl {
  /** What every call begins with. */
  readonly flags: readonly string[];
  run(...args: string[]): Promise<Ran>;
  close(): void;
}

/** kubectl as the administrator of a control plane. */
export function kubectlFor(plane: ControlPlane): Kubectl {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-kubectl-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const { caPem, admin } = plane.pki;
  const secrets = { caPem, clientCert: admin.certPem, clientKey: admin.keyPem };
  writeKubeconfig(kubeconfig, { name: 'x', server: plane.url, ...secrets });
  const flags = ['--kubeconfig', kubeconfig, '--cache-dir', join(folder, 'cache')];
  return {
    flags,
    run: (...args) =>
      new Promise((resolve) => {
        execFile('kubectl', [...flags, ...args], (error, out, err) => {
          resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : 1, out, err });
        });
      }),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
