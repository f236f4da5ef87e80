/** kubectl for tests of any layer. */
export { kubectlFor } from '../apiserver/http/kubectl.fixture.ts';
