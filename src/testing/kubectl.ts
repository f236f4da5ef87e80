/** kubectl for tests of any layer. */
export { hasKubectl, kubectlFor } from '../apiserver/http/kubectl.fixture.ts';
