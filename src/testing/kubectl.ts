/** kubectl for tests of any layer. */
export { kubectlFor } from '#control-plane/apiserver/http/kubectl.fixture';
