import type { Pool } from '#api/novacron/resources';
import { formatTable } from '../format-table.ts';

const percent = (ratio: number | undefined): string => (ratio === undefined ? '' : `${(100 * ratio).toFixed(1)}%`);

/** Formats the forecast in the status of a pool, and whether it is used. */
export function formatForecast({ spec, status }: Pool): string {
  if (spec.autoscaling?.predictive?.enabled !== true) return 'predictive scaling is not enabled for this pool\n';
  const { forecast } = status ?? {};
  const used = status?.conditions?.find(({ type }) => type === 'ForecastUsed');
  const row = [
    forecast?.model ?? spec.autoscaling.predictive.model,
    used?.status ?? 'Unknown',
    forecast?.peakAt ?? '',
    `${forecast?.peakReplicas ?? ''}`,
    percent(forecast?.error),
    percent(forecast?.naiveError),
    percent(forecast?.coverage),
  ];
  const table = formatTable(['MODEL', 'USED', 'PEAK AT', 'VMS', 'ERROR', 'NAIVE ERROR', 'COVERAGE'], [row]);
  return `${table}${used?.message ?? forecast?.message ?? 'no forecast was made yet'}\n`;
}
