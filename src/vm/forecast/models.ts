import { arima } from './arima.ts';
import { lstm } from './lstm.ts';
import type { ForecastModel } from './model.ts';
import { prophet } from './prophet.ts';

export const MODEL_NAMES = ['arima', 'lstm', 'prophet'] as const;
export type ModelName = (typeof MODEL_NAMES)[number];

/** Models that a pool may name. */
export const MODELS = { arima, lstm, prophet } as unknown as Readonly<Record<ModelName, ForecastModel>>;
