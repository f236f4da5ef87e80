/** Nodes and machines that a SimulationScenario has brought have this label, with its name. */
export const PLAYED_LABEL = 'simulation.node-classifier.io/played-by';
/** On nodes, which outlive nothing that could own them: the uid of the scenario. */
export const PLAYED_UID_LABEL = 'simulation.node-classifier.io/played-by-uid';

/** The name of a scenario as the value of a label. */
export const scenarioSelector = (name: string): string => name.slice(0, 63).replace(/[^a-z0-9]+$/i, '');
