/**
 * Verb of operators and node agents. On `KIND/status` it permits writing that status, which controllers act on. On
 * virtualmachineinstances it permits changing the spec, and setting labels and annotations that controllers act on.
 */
export const OPERATE = 'operate';
