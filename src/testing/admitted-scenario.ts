import { type SimulationScenario, simulationScenario } from '#api/simulation/simulation-scenario';
import { simulationScenarioAdmitter } from '#vm/dialects/simulation/admission/simulation-scenario';
import { admissionTrial } from './admission-trial.ts';

const trial = admissionTrial(simulationScenarioAdmitter);

/** Returns a scenario with its defaults, as the API server stores it. Throws if it would be rejected. */
export function admittedScenario(spec: object, name = 'scenario'): SimulationScenario {
  const { apiVersion, kind } = simulationScenario;
  const { object, causes, unknownFields } = trial({ apiVersion, kind, metadata: { name, namespace: 'default' }, spec });
  const wrong = [...causes, ...unknownFields];
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
  return object;
}
