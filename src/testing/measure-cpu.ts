/** How much of a processor this thread takes for some work, in milliseconds: what others take meanwhile does not count. */
export function measureCpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
