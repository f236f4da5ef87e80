/** API of `vimana up` for the carbon intensity that its provider knows. */
export const GRID_ZONES = {
  group: 'carbon.vimana.io',
  version: 'v1alpha1',
  plural: 'gridzones',
  kind: 'GridZone',
  apiVersion: 'carbon.vimana.io/v1alpha1',
  path: '/apis/carbon.vimana.io/v1alpha1/gridzones',
} as const;

/** Part of the grid, with its current carbon intensity and the forecast. */
export interface GridZone {
  readonly apiVersion: string;
  readonly kind: string;
  /** Name of the provider that the values come from. */
  readonly provider: string;
  readonly metadata: { readonly name: string };
  /** Intensities in gCO2/kWh, in order of time. */
  readonly slots: readonly { readonly from: string; readonly to: string; readonly intensity: number }[];
}

export interface GridZoneList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly provider: string;
  readonly metadata: object;
  readonly items: readonly { readonly metadata: { readonly name: string }; readonly displayName: string }[];
}
