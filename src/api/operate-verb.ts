/**
 * The verb of those who act as operator or as agent of a node. On `KIND/status`: may write that status, which
 * controllers act on. On virtualmachineinstances: may change the spec of an instance, and set labels and annotations on
 * it that controllers act on.
 */
export const OPERATE = 'operate';
