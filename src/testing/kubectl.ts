/** Gives tests of any layer a kubectl. */
export { kubectlFor } from '#control-plane/apiserver/http/kubectl.fixture';
