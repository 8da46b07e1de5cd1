/** What this process computes for something, in ms. What other processes take of the machine does not count. */
export function measureCpuTime(act: () => void): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
