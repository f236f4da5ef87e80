import type { CarbonProvider } from './provider.ts';
import { inOrder, type Slot } from './slot.ts';

/** Returns the current value and the forecast. A plan without forecasts returns at least the current value. */
export async function slotsOf(provider: CarbonProvider, zone: string, signal?: AbortSignal): Promise<Slot[]> {
  const current = await provider.current(zone, signal);
  const forecast = await provider.forecast(zone, signal).catch((error: unknown) => {
    signal?.throwIfAborted();
    if ((error as { readonly code?: unknown }).code === 'UNAUTHORIZED') return [];
    throw error;
  });
  return inOrder(current, forecast);
}
