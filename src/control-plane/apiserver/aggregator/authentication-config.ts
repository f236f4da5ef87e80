import type { KubeObject } from '#platform/kube/kube-object';

/** Name in the certificate by which other API servers recognize this one. */
export const FRONT_PROXY = 'front-proxy-client';

/** Builds the ConfigMap by which other API servers learn whom to trust. */
export function authenticationConfig(caPem: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'extension-apiserver-authentication', namespace: 'kube-system' },
    data: {
      'client-ca-file': caPem,
      'requestheader-allowed-names': JSON.stringify([FRONT_PROXY]),
      'requestheader-client-ca-file': caPem,
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-uid-headers': '["X-Remote-Uid"]',
      'requestheader-username-headers': '["X-Remote-User"]',
    },
  };
}
