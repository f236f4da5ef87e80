import { forecastModelContract } from './model.contract.ts';
import { MODEL_NAMES, MODELS } from './models.ts';
import { NAIVE_MODELS } from './naive.ts';

for (const name of MODEL_NAMES) forecastModelContract(MODELS[name]);
for (const model of NAIVE_MODELS) forecastModelContract(model);
