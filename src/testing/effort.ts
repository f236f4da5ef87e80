/** How much of a processor this thread takes for some work, in milliseconds: what others take meanwhile does not count. */
export function effort(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** The least that it takes of several times, which is after what was compiled and read for the first ones. */
export function leastEffort(times: number, work: () => unknown): number {
  return Math.min(...Array.from({ length: times }, () => effort(work)));
}
