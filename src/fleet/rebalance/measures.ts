/** Metrics of a node as ratios. CPU usage may exceed 1 if demand exceeds capacity. */
export interface Measures {
  readonly cpuUsage: number;
  readonly cpuPressure: number;
  readonly memoryUsage: number;
  readonly memoryPressure: number;
}
