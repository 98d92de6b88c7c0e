/**
 * How much more processor time four times the size takes: about 4 where the work is linear, and 16
 * where it is quadratic. The fastest of three runs counts.
 */
export function growthOf(work: (size: number) => void, size: number): number {
  const fastest = (of: number) =>
    Math.min(
      ...[1, 2, 3].map(() => {
        const from = process.cpuUsage();
        work(of);
        const { user, system } = process.cpuUsage(from);
        return user + system;
      }),
    );
  return fastest(4 * size) / fastest(size);
}
