/** Who may import whom: the table of ARCHITECTURE.md as data. A folder may always import itself. */

export interface Layer {
  readonly may: readonly string[];
  /** Runs in the browser too: no Node module. */
  readonly browser?: true;
}

const ANY = [
  'base',
  'api',
  'structural',
  'kube',
  'runtime',
  'admission',
  'machine',
  'dialects',
  'carbon',
  'forecast',
  'images',
  'controllers',
  'scheduler',
  'node',
  'rebalance',
  'exporter',
  'simulation-library',
  'simulation',
  'apiserver',
  'cli',
  'install',
] as const;

export const LAYERS: Readonly<Record<string, Layer>> = {
  base: { may: [] },
  api: { may: [], browser: true },
  structural: { may: ['api', 'base'] },
  kube: { may: ['api', 'base'] },
  runtime: { may: ['kube', 'api', 'base'] },
  admission: { may: ['structural', 'kube', 'api', 'base'] },
  machine: { may: ['runtime', 'kube', 'api', 'base'] },
  dialects: { may: ['machine', 'api', 'base'] },
  carbon: { may: ['machine', 'api', 'base'] },
  forecast: { may: ['machine', 'api', 'base'] },
  images: { may: ['machine', 'api', 'base'] },
  controllers: { may: ['runtime', 'machine', 'kube', 'api', 'base'] },
  scheduler: { may: ['runtime', 'kube', 'api', 'base'] },
  node: { may: ['runtime', 'kube', 'api', 'base'] },
  rebalance: { may: ['runtime', 'kube', 'api', 'base'] },
  'simulation-library': { may: ['dialects', 'machine', 'kube', 'api', 'base'] },
  exporter: { may: ['simulation-library', 'rebalance', 'runtime', 'kube', 'api', 'base'] },
  simulation: { may: ['simulation-library', 'exporter', 'rebalance', 'node', 'runtime', 'kube', 'api', 'base'] },
  apiserver: { may: ['admission', 'structural', 'kube', 'api', 'base'] },
  cli: { may: ['machine', 'dialects', 'carbon', 'rebalance', 'admission', 'kube', 'api', 'base'] },
  install: { may: ['cli', 'dialects', 'node', 'kube', 'api', 'base'] },
  testing: { may: [...ANY, 'up', 'operator.ts', 'hypersdk.ts'] },
  'main.ts': {
    may: [...ANY, 'up', 'connect.ts', 'serve.ts', 'operator.ts', 'exporter.ts', 'simulate.ts', 'node.ts', 'operator'],
  },
  'serve.ts': { may: [...ANY, 'up'] },
  'connect.ts': { may: ANY },
  'index.ts': { may: ANY },
  up: { may: [...ANY, 'operator.ts', 'hypersdk.ts', 'carbon.ts', 'connect.ts'] },
  'carbon.ts': { may: ANY },
  'hypersdk.ts': { may: [...ANY, 'carbon.ts'] },
  'novacron.ts': { may: [...ANY, 'hypersdk.ts'] },
  'operator.ts': { may: [...ANY, 'hypersdk.ts', 'novacron.ts', 'carbon.ts'] },
  operator: { may: [...ANY, 'operator.ts', 'carbon.ts', 'connect.ts'] },
  'exporter.ts': { may: [...ANY, 'connect.ts'] },
  'simulate.ts': { may: [...ANY, 'up'] },
  'node.ts': { may: ANY },
};

/** Folders whose parts stand beside each other and never import a sibling: <kind>/ under controllers. */
export const SIBLINGS: readonly string[] = ['controllers'];

/** Files that only tests use, and that may use what only development has. */
export const TEST_SUPPORT = /\.(test|contract|fixture)\.ts$|^src\/testing\//;

/** Tests may use the fakes and contract suites of any layer, but product code may not use tests. */
export const TEST_FILE = /\.(test|contract)\.ts$/;
