/** Returns the CPU time of this process during an action, in ms. Other processes do not affect it. */
export function measureCpuTime(action: () => void): number {
  const before = process.cpuUsage();
  action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
