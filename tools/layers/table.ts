import type { DialectName } from '../../src/api/groups.ts';

/**
 * Import table, which defines the layers of src that each layer may import. ARCHITECTURE.md shows it, and a layer may
 * always import itself.
 */

export interface Layer {
  /** Description for ARCHITECTURE.md in one line. */
  readonly contents: string;
  /** Layers (`platform/kube`) and whole areas (`platform`) that this one may import. */
  readonly may: readonly string[];
  /** API groups whose kinds the layer may import, if not all of them: what serves every dialect knows none of them. */
  readonly groups?: readonly DialectName[];
  /** The layer also runs in a browser: it imports no Node.js module and no package. */
  readonly browser?: true;
}

export const LAYERS: Readonly<Record<string, Layer>> = {
  'platform/base': { contents: 'clock, randomness, log, errors, quantities, durations', may: [] },
  'platform/schema': {
    contents: 'the builder that kinds are declared with, and the CRDs made from them',
    may: [],
    browser: true,
  },
  'platform/structural': {
    contents: 'structural schemas, defaulting, pruning and CEL',
    may: ['platform/schema', 'platform/base'],
  },
  'platform/kube': {
    contents: 'client, kubeconfig, manifests, patches, selectors and the kinds of Kubernetes',
    may: ['platform/schema', 'platform/base'],
  },
  'platform/runtime': {
    contents: 'informers, work queues, controllers, leader election',
    may: ['platform/kube', 'platform/base'],
  },

  api: {
    contents: 'the kinds of the four API groups: data and types only',
    may: ['platform/schema', 'platform/kube'],
    browser: true,
  },

  'control-plane/apiserver': {
    contents: 'the API server: HTTP, access, admission, verbs, store',
    may: ['platform'],
  },
  'control-plane/scheduler': { contents: 'the scheduler and its plugins', may: ['platform'] },
  'control-plane/controllers': { contents: 'the controllers of kube-controller-manager', may: ['platform'] },

  'vm/usage': { contents: 'what an instance requests and consumes', may: ['platform', 'api'], groups: ['kubevirt'] },
  'vm/storage': {
    contents: 'disks, claims and snapshots of a VM, and the namespaces that may use them',
    may: ['platform', 'api'],
  },
  'vm/engine': {
    contents: 'the engine: reconciles the VMs of every group into instances',
    may: ['platform', 'api', 'vm/usage'],
    groups: ['kubevirt'],
  },
  'vm/admission': {
    contents: 'what the admission of all groups shares',
    may: ['platform', 'api'],
    groups: ['kubevirt'],
  },
  'vm/forecast': { contents: 'forecasts of demand, and their probation', may: ['platform/base'], browser: true },
  'vm/dialects': {
    contents: 'one directory per API group: its admission, its dialect, its controllers',
    may: ['platform', 'api', 'vm/engine', 'vm/admission', 'vm/controllers', 'vm/images', 'vm/forecast'],
  },
  'vm/carbon': {
    contents: 'carbon intensity providers and carbon-aware start',
    may: ['platform/base', 'api', 'vm/engine'],
  },
  'vm/view': {
    contents: "what a VM's state means to a reader, for the command line and a dashboard",
    may: ['platform/base', 'platform/kube', 'platform/schema', 'api', 'vm/engine'],
    groups: ['kubevirt'],
    browser: true,
  },
  'vm/images': { contents: 'image download and verification', may: ['platform/base', 'api', 'vm/engine'] },
  'vm/image-store': {
    contents: 'fetches disk images, checks and converts them in a sandbox, and keeps them',
    may: ['platform/base', 'vm/images'],
  },
  'vm/controllers': {
    contents: 'controllers of instances, migrations, operations, snapshots and templates',
    may: ['platform', 'api', 'vm/engine', 'vm/storage', 'vm/usage'],
  },
  'vm/guest-image': {
    contents: 'builds the demo guest, a small Linux, from Debian packages',
    may: ['platform/base'],
  },
  'vm/node': {
    contents: 'the node agent and the machine drivers',
    may: ['platform', 'api', 'vm/storage', 'vm/usage', 'vm/image-store'],
  },

  'fleet/rebalance': { contents: 'the rebalancing planner', may: ['platform'] },
  'fleet/library': {
    contents: 'VMManager and PodManager',
    may: ['platform', 'api', 'vm/dialects', 'vm/engine', 'vm/usage'],
  },
  'fleet/exporter': {
    contents: 'the Prometheus exporter with /scenario, /feedback and /refresh',
    may: ['platform', 'api', 'vm/usage', 'fleet/library', 'fleet/rebalance'],
  },
  'fleet/simulation': {
    contents: 'scenarios that play on a simulated fleet, and their reports',
    may: ['platform', 'api', 'vm/node', 'vm/usage', 'fleet/library', 'fleet/exporter', 'fleet/rebalance'],
  },

  'programs/cli': {
    contents: 'the command line',
    may: [
      'platform',
      'api',
      'vm/admission',
      'vm/carbon',
      'vm/dialects',
      'vm/engine',
      'vm/forecast',
      'vm/view',
      'fleet/rebalance',
    ],
  },
  'programs/embedded': {
    contents: 'what the embedded API server knows about VMs: admission and evictions',
    may: ['platform', 'api', 'control-plane', 'vm'],
  },
  'programs/install': {
    contents: '`vimana install` and what it applies',
    may: ['platform', 'api', 'vm/dialects', 'vm/node', 'programs/cli'],
  },
  'programs/operator': {
    contents: '`vimana operator`: controllers, webhooks and the aggregated API on a cluster',
    may: [
      'platform',
      'api',
      'control-plane',
      'vm',
      'fleet/exporter',
      'programs/cli',
      'programs/install',
      'programs/connect.ts',
    ],
  },
  'programs/up': {
    contents: '`vimana up`: everything in one process',
    may: [
      'platform',
      'api',
      'control-plane',
      'vm',
      'fleet',
      'programs/cli',
      'programs/install',
      'programs/operator',
      'programs/embedded',
      'programs/instances',
      'programs/connect.ts',
    ],
  },
  'programs/instances': {
    contents: 'the Vimana instances (`vimana up`, `vimana apiserver`) that run on this host',
    may: ['platform', 'control-plane'],
  },
  'programs/connect.ts': {
    contents: 'connects a command to its cluster',
    may: ['platform', 'programs/cli', 'programs/install', 'programs/instances'],
  },
  'programs/serve.ts': {
    contents: '`vimana apiserver`',
    may: ['platform', 'control-plane', 'programs/cli', 'programs/embedded', 'programs/instances', 'programs/up'],
  },
  'programs/exporter.ts': {
    contents: '`vimana exporter`',
    may: ['platform', 'fleet', 'programs/cli', 'programs/connect.ts'],
  },
  'programs/simulate.ts': {
    contents: '`vimana simulate`',
    may: ['platform', 'control-plane', 'vm', 'fleet', 'programs/cli', 'programs/up'],
  },
  'programs/trace.ts': {
    contents: '`vimana trace import`',
    may: ['platform', 'fleet', 'programs/cli'],
  },
  'programs/playground.ts': {
    contents: 'a cluster of simulated nodes in memory, for a page in a browser',
    may: ['platform', 'control-plane', 'programs/up'],
  },
  'programs/main.ts': {
    contents: 'selects the program that the command line names',
    may: ['platform', 'api', 'control-plane', 'vm', 'fleet', 'programs'],
  },

  'index.ts': {
    contents: 'the public API of the package',
    may: ['platform', 'api', 'control-plane', 'vm', 'fleet', 'programs/embedded'],
  },
  testing: {
    contents: 'fakes and fixtures of tests',
    may: ['platform', 'api', 'control-plane', 'vm', 'fleet', 'programs'],
  },
};

/** Directories whose subdirectories never import each other, since each contains one controller. */
export const SIBLINGS: readonly string[] = ['vm/controllers'];

/** Directories whose entries, both subdirectories and files, must not import each other in a cycle. */
export const ACYCLIC: readonly string[] = [
  'platform',
  'control-plane',
  'control-plane/apiserver',
  'vm',
  'fleet',
  'programs',
  'programs/cli',
];

/** Files that only tests use, and that may import development dependencies. */
export const TEST_SUPPORT = /\.(test|contract|fixture)\.ts$|^src\/testing\//;

/** Tests may use the fakes and contract suites of any layer, but product code may not use tests. */
export const TEST_FILE = /\.(test|contract)\.ts$/;

/**
 * Directories and files of src that may import Node.js' modules and packages that need them, by what they need Node.js
 * for. Everything else also runs in a browser, as tools/browser/bundle.test.ts proves.
 */
export const NODE_USES: Readonly<Record<string, readonly string[]>> = {
  'files: data directories, stores, backups, logs, reports': [
    'platform/base/directory.ts',
    'control-plane/apiserver/backup',
    'control-plane/apiserver/data-directory.ts',
    'control-plane/apiserver/event-store.ts',
    'control-plane/apiserver/private-data.ts',
    'control-plane/apiserver/store-places.ts',
    'control-plane/apiserver/store-witness.ts',
    'control-plane/apiserver/store/disk-failure.ts',
    'control-plane/apiserver/store/environment.ts',
    'control-plane/apiserver/store/file-guard.ts',
    'control-plane/apiserver/store/directory-lock.ts',
    'control-plane/apiserver/store/free-space.ts',
    'control-plane/apiserver/store/lmdb-file.ts',
    'control-plane/apiserver/store/lmdb-journal.ts',
    'control-plane/apiserver/store/lmdb-store.ts',
    'control-plane/apiserver/store/record.ts',
    'control-plane/apiserver/store/store-head.ts',
    'control-plane/apiserver/store/stored-content.ts',
    'control-plane/apiserver/store/write-store.ts',
    'fleet/simulation/compare/comparison-output.ts',
    'fleet/simulation/report/output.ts',
    'vm/node/agent/log-file.ts',
  ],
  'real machines: processes of QEMU, their sockets and disks': [
    'vm/guest-image',
    'vm/image-store',
    'vm/node/node-objects.ts',
    'vm/node/qemu',
  ],
  'keys, tokens and certificates': [
    'platform/kube/access-token.ts',
    'control-plane/apiserver/access/certificate-request.ts',
    'control-plane/apiserver/access/certificate.ts',
    'control-plane/apiserver/access/der.ts',
    'control-plane/apiserver/access/jwt.ts',
    'control-plane/apiserver/access/local-program.ts',
    'control-plane/apiserver/access/pki.ts',
    'control-plane/apiserver/access/read-if-exists.ts',
    'control-plane/apiserver/access/requested-organizations.ts',
    'control-plane/apiserver/access/service-account-tokens.ts',
    'control-plane/apiserver/access/static-tokens.ts',
    'control-plane/apiserver/server-authentication.ts',
  ],
  'sockets: servers, clients and downloads': [
    'platform/base/socket-owner.ts',
    'platform/kube/http/connect-web-socket.ts',
    'platform/kube/http/http-client.ts',
    'platform/kube/http/transport.ts',
    'platform/runtime/http',
    'control-plane/apiserver/admission/webhooks/https-post.ts',
    'control-plane/apiserver/aggregator',
    'control-plane/apiserver/control-plane.ts',
    'control-plane/apiserver/http/compression.ts',
    'control-plane/apiserver/http/paused-socket.ts',
    'control-plane/apiserver/http/reject-connection.ts',
    'control-plane/apiserver/http/request-body.ts',
    'control-plane/apiserver/http/sending.ts',
    'control-plane/apiserver/http/server.ts',
    'control-plane/apiserver/listen.ts',
    'control-plane/apiserver/streaming',
    'fleet/exporter/exposition.ts',
    'fleet/exporter/routes.ts',
    'fleet/library/connected-managers.ts',
    'vm/images/checked-fetch.ts',
    'vm/images/download.ts',
    'vm/images/verifier.ts',
  ],
  'threads, and what else the process provides: uptime, logs, metrics': [
    'platform/base/host-clock.ts',
    'platform/base/pino-logger.ts',
    'platform/runtime/metrics.ts',
    'control-plane/apiserver/http/encoding-threads.ts',
    'control-plane/apiserver/http/encoding-worker.ts',
    'control-plane/apiserver/http/request-metrics.ts',
    'control-plane/apiserver/http/worker-thread.ts',
    'control-plane/apiserver/http/yaml-reader.ts',
    'control-plane/apiserver/http/yaml-thread.ts',
    'control-plane/apiserver/http/yaml-worker.ts',
    'control-plane/apiserver/node-host.ts',
  ],
  'programs of the command line, with their settings and environment': [
    'platform/kube/kubeconfig',
    'programs/cli',
    'programs/connect.ts',
    'programs/embedded/control-plane.ts',
    'programs/exporter.ts',
    'programs/install',
    'programs/instances',
    'programs/main.ts',
    'programs/operator',
    'programs/serve.ts',
    'programs/simulate.ts',
    'programs/trace.ts',
    'programs/up',
    'index.ts',
  ],
};

/** Directories and files of src that may import Node.js' modules. */
export const NODE_DIRECTORIES: readonly string[] = Object.values(NODE_USES).flat();
