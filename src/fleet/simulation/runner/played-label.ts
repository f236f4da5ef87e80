/** Label of nodes and VMs that a SimulationScenario created, with its name. */
export const PLAYED_LABEL = 'simulation.node-classifier.io/played-by';
/** Label with the uid of the scenario, on nodes, which nothing could own. */
export const PLAYED_UID_LABEL = 'simulation.node-classifier.io/played-by-uid';

/** Converts the name of a scenario to a label value. */
export const scenarioSelector = (name: string): string => name.slice(0, 63).replace(/[^a-z0-9]+$/i, '');
