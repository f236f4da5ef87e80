/** Reports whether an object is a scenario file of `vimana rebalance`, which lists nodes by name of the scenario. */
export function isNodeScenarios(object: unknown): object is Readonly<Record<string, readonly unknown[]>> {
  const lists = typeof object === 'object' && object !== null ? Object.values(object) : [];
  return lists.length > 0 && lists.every(Array.isArray);
}
