import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Result of one test of the suite. */
export interface Result {
  readonly name: string;
  readonly state: string;
  readonly seconds: number;
  readonly why: string;
}

interface SpecReport {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeText: string;
  readonly LeafNodeType: string;
  readonly State: string;
  readonly RunTime: number;
  readonly Failure?: { readonly Message: string; readonly Location?: { FileName: string; LineNumber: number } };
}

/** Runs the named tests one after another. `log` receives the output of the suite. */
export async function runTests(
  binary: string,
  { names, kubeconfig, report, log }: { names: readonly string[]; kubeconfig: string; report: string; log: number },
): Promise<Result[]> {
  const args = [
    ['--provider=local', `--kubeconfig=${kubeconfig}`, '--kubectl-path=kubectl'],
    // There is only an API server: no node runs pods, and the suite must not wait for nodes.
    ['--allowed-not-ready-nodes=-1', '--minStartupPods=0', '--disable-log-dump'],
    ['--ginkgo.timeout=2h', '--ginkgo.no-color', `--ginkgo.json-report=${report}`],
    names.map((name) => `--ginkgo.focus=${RegExp.escape(name)}`),
  ].flat();
  const child = spawn(binary, args, { stdio: ['ignore', log, log] });
  const code = await new Promise((resolve, reject) => child.once('exit', resolve).once('error', reject));
  if (!existsSync(report)) throw new Error(`the suite ended with ${String(code)} and no report`);
  const [suite] = JSON.parse(readFileSync(report, 'utf8')) as [{ SpecReports: SpecReport[] }];
  return suite.SpecReports.map(resultOf).filter(({ name, state }) => state !== 'skipped' || names.includes(name));
}

function resultOf(spec: SpecReport): Result {
  const { Message: message = '', Location: at } = spec.Failure ?? {};
  const place = at === undefined ? '' : ` (${at.FileName.replace(/^.*\/test\/e2e\//, '')}:${at.LineNumber})`;
  return {
    name: [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText || spec.LeafNodeType].join(' '),
    state: spec.State,
    seconds: spec.RunTime / 1e9,
    why: message === '' ? '' : `${message}${place}`,
  };
}
