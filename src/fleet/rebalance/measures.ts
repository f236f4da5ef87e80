/** What a node measures, as shares: of CPU, which may exceed 1 where more is asked for than there is, and of memory. */
export interface Measures {
  readonly cpuUsage: number;
  readonly cpuPressure: number;
  readonly memoryUsage: number;
  readonly memoryPressure: number;
}
