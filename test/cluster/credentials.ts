import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPki, type Pki } from '#control-plane/apiserver/access/pki';
import { realClock } from '#platform/base/clock';

export interface ClusterCredentials {
  readonly pki: Pki;
  /** Flags that configure them in kube-apiserver. */
  readonly apiServerFlags: readonly string[];
  readonly controllerManagerFlags: readonly string[];
}

/** Keys and certificates of a control plane in a directory. */
export function makeCredentials(folder: string): ClusterCredentials {
  const pki = openPki({ directory: join(folder, 'pki'), clock: realClock });
  // The bearer of a certificate of this second authority is trusted to name the user. Aggregated APIs require that.
  const front = openPki({ directory: join(folder, 'front-proxy'), clock: realClock });
  const proxy = front.clientCertificate({ user: 'front-proxy-client' });
  const accounts = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const ca = join(folder, 'pki', 'ca.crt');
  const signing = file('accounts.key', accounts.privateKey.export({ type: 'pkcs1', format: 'pem' }));
  const verifying = file('accounts.pub', accounts.publicKey.export({ type: 'spki', format: 'pem' }));
  return {
    pki,
    apiServerFlags: [
      `--client-ca-file=${ca}`,
      `--tls-cert-file=${join(folder, 'pki', 'apiserver.crt')}`,
      `--tls-private-key-file=${join(folder, 'pki', 'apiserver.key')}`,
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      `--service-account-key-file=${verifying}`,
      `--service-account-signing-key-file=${signing}`,
      `--requestheader-client-ca-file=${join(folder, 'front-proxy', 'ca.crt')}`,
      '--requestheader-allowed-names=front-proxy-client',
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      `--proxy-client-cert-file=${file('front-proxy.crt', proxy.certPem)}`,
      `--proxy-client-key-file=${file('front-proxy.key', proxy.keyPem)}`,
    ],
    controllerManagerFlags: [
      `--root-ca-file=${ca}`,
      `--service-account-private-key-file=${signing}`,
      `--cluster-signing-cert-file=${ca}`,
      `--cluster-signing-key-file=${join(folder, 'pki', 'ca.key')}`,
    ],
  };
}
