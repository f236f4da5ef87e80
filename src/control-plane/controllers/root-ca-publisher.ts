import { CONFIG_MAPS, type ConfigMap, type Namespace } from '#platform/kube/kinds/core';
import type { Controller } from '#platform/runtime/controller';
import { inEveryNamespace } from './in-every-namespace.ts';

const DESCRIPTION = {
  'kubernetes.io/description':
    'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
};

/** Publishes the CA certificate, by which pods verify the API server, to every namespace. */
export function rootCaPublisher(caPem: string): Controller<Namespace> {
  const data = { 'ca.crt': caPem };
  return inEveryNamespace<ConfigMap>({
    controller: 'root certificate',
    type: CONFIG_MAPS,
    name: 'kube-root-ca.crt',
    object: { metadata: { annotations: DESCRIPTION }, data },
    corrected(present) {
      if (isOnly(present.data, caPem)) return undefined;
      const annotations = { ...present.metadata.annotations, ...DESCRIPTION };
      return { ...present, metadata: { ...present.metadata, annotations }, data };
    },
  });
}

function isOnly(data: ConfigMap['data'], caPem: string): boolean {
  return data?.['ca.crt'] === caPem && Object.keys(data).length === 1;
}
