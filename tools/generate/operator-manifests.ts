import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';

/**
 * Writes deploy/operator from the chart, for `kubectl apply`: node tools/generate/operator-manifests.ts [HELM]. It
 * requires Helm, so a test compares the result only where Helm is installed.
 */
const FILE = 'deploy/operator/operator.yaml';
const NAMESPACE = 'vimana-system';

export function operatorManifests(helm: string): { path: string; text: string } {
  const args = ['template', 'vimana-operator', 'deploy/helm/vimana', '--namespace', NAMESPACE];
  const set = ['--set', 'crds.install=false', '--kube-version', '1.36.3'];
  const { status, stdout, stderr } = spawnSync(helm, [...args, ...set], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`helm cannot render the manifests: ${stderr}`);
  const header = `# Generated from deploy/helm/vimana by tools/generate/operator-manifests.ts. Install the CRDs first:
# kubectl apply --server-side -f deploy/crds/ && kubectl apply -f deploy/operator/
apiVersion: v1
kind: Namespace
metadata:
  name: ${NAMESPACE}
`;
  // These manifests are not installed by Helm, and comments of templates name files that do not exist here.
  const text = stdout
    .replaceAll(/^# Source: .*\n/gm, '')
    .replaceAll(/^ *(?:app\.kubernetes\.io\/managed-by|helm\.sh\/chart): .*\n/gm, '');
  return { path: FILE, text: header + text };
}

if (import.meta.main) {
  const { path, text } = operatorManifests(process.argv[2] ?? 'helm');
  mkdirSync('deploy/operator', { recursive: true });
  writeFileSync(path, text);
}
