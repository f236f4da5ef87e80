import { readFileSync } from 'node:fs';
import { GROUPS } from '#api/groups';
import { KINDS } from '#api/kinds';
import { withVmShortName } from '#programs/cli/vm-short-name';
import { CHART_CRDS, chartFiles } from './chart-files.ts';
import { cliReference } from './cli-reference.ts';
import { crdFile } from './crd-file.ts';
import { gitopsFiles } from './gitops-files.ts';
import { hypersdkChart } from './hypersdk-chart.ts';
import { kwokNodes } from './kwok-nodes.ts';
import { withLayersTable } from './layers-table.ts';
import { referenceFile } from './reference-file.ts';
import { referenceIndex } from './reference-index.ts';

/** Returns the expected content of every file that is generated from the kinds or the commands. */
export function generatedFiles(): Map<string, string> {
  const files = [
    cliReference(),
    { path: 'ARCHITECTURE.md', text: withLayersTable(readFileSync('ARCHITECTURE.md', 'utf8')) },
    ...chartFiles(),
    ...hypersdkChart(),
    ...gitopsFiles(),
    kwokNodes(),
    referenceIndex(KINDS),
    // All of these definitions together have one meaning of the short name vm.
    ...withVmShortName(KINDS, GROUPS.kubevirt).map(crdFile),
    ...KINDS.map(referenceFile),
  ];
  return new Map(files.map(({ path, text }) => [path, text]));
}

/** Directories that contain only generated files, so that leftovers of a deleted kind are found. */
export const GENERATED_DIRECTORIES = [
  'deploy/crds',
  CHART_CRDS,
  ...new Set(KINDS.map(({ group }) => `docs/reference/${group}`)),
];
