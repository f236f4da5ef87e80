import { type SimulationScenario, simulationScenario } from '#api/simulation/simulation-scenario';
import { simulationScenarioAdmitter } from '#vm/dialects/simulation/admission/simulation-scenario';
import { admissionTrial } from './admission-trial.ts';

const trial = admissionTrial(simulationScenarioAdmitter);

/** A scenario as the API server hands it on: with its defaults. Throws where it would be refused. */
export function admittedScenario(spec: object, name = 'scenario'): SimulationScenario {
  const { apiVersion, kind } = simulationScenario;
  const { object, causes, unknownFields } = trial({ apiVersion, kind, metadata: { name, namespace: 'default' }, spec });
  const wrong = [...causes, ...unknownFields];
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
  return object;
}
