import type { Starters } from '#programs/cli/program';

const none = async (): Promise<never> => {
  throw new Error('nothing is started here');
};

/** Starters for tests of commands that start nothing. */
export const IDLE_STARTERS: Starters = {
  apiserver: none,
  up: none,
  install: none,
  uninstall: none,
  operator: none,
  simulate: none,
  importTrace: none,
  exporter: none,
  status: none,
  down: none,
  ls: none,
  delete: none,
  backup: none,
  image: { build: none, list: none, pull: none, prune: none },
  restore: none,
  nodes: none,
  connect: none,
  kubeconfigNames: none,
  findExporter: none,
};
