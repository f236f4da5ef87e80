/** How Go builds a program: the module in `go/`, and the package. */
export interface Recipe {
  readonly module:
    | 'kubernetes'
    | 'etcd'
    | 'kwok'
    | 'helm'
    | 'descheduler'
    | 'csi-hostpath'
    | 'csi-provisioner'
    | 'csi-snapshotter'
    | 'virtctl'
    | '../../clients/go'
    | '../../gitops/lua';
  readonly package: string;
  /** Values of variables that a release sets. */
  readonly set?: Readonly<Record<string, string>>;
  /** Whether the tests of the package are built as a program. */
  readonly tests?: true;
}

const VERSION = 'k8s.io/component-base/version';
const RELEASE = {
  [`${VERSION}.gitVersion`]: 'v1.36.3',
  [`${VERSION}.gitMajor`]: '1',
  [`${VERSION}.gitMinor`]: '36',
};
const kubernetes = (name: string): Recipe => ({
  module: 'kubernetes',
  package: `k8s.io/kubernetes/cmd/${name}`,
  set: RELEASE,
});

const snapshotter = (name: string): Recipe => ({
  module: 'csi-snapshotter',
  package: `github.com/kubernetes-csi/external-snapshotter/v8/cmd/${name}`,
});

export const RECIPES = {
  etcd: { module: 'etcd', package: '.' },
  'kube-apiserver': kubernetes('kube-apiserver'),
  'kube-controller-manager': kubernetes('kube-controller-manager'),
  'kube-scheduler': kubernetes('kube-scheduler'),
  kubectl: kubernetes('kubectl'),
  'e2e.test': { module: 'kubernetes', package: 'k8s.io/kubernetes/test/e2e', set: RELEASE, tests: true },
  kwok: { module: 'kwok', package: 'sigs.k8s.io/kwok/cmd/kwok' },
  helm: {
    module: 'helm',
    package: 'helm.sh/helm/v3/cmd/helm',
    set: { 'helm.sh/helm/v3/internal/version.version': 'v3.22.0' },
  },
  descheduler: {
    module: 'descheduler',
    package: 'sigs.k8s.io/descheduler/cmd/descheduler',
    set: { 'sigs.k8s.io/descheduler/pkg/version.version': 'v0.36.0' },
  },
  hostpathplugin: {
    module: 'csi-hostpath',
    package: 'github.com/kubernetes-csi/csi-driver-host-path/cmd/hostpathplugin',
    // The program does not respond without a version.
    set: { 'main.version': 'v1.7.2' },
  },
  'csi-provisioner': {
    module: 'csi-provisioner',
    package: 'github.com/kubernetes-csi/external-provisioner/v5/cmd/csi-provisioner',
  },
  'csi-snapshotter': snapshotter('csi-snapshotter'),
  'snapshot-controller': snapshotter('snapshot-controller'),
  virtctl: {
    module: 'virtctl',
    package: 'kubevirt.io/kubevirt/cmd/virtctl',
    set: { 'kubevirt.io/client-go/version.gitVersion': 'v1.7.0' },
  },
  'go-clients': { module: '../../clients/go', package: '.' },
  'health-rules': { module: '../../gitops/lua', package: '.' },
} as const satisfies Record<string, Recipe>;

export type Program = keyof typeof RECIPES;
